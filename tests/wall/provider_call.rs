//! `#[provider_call]`

use std::sync::atomic::{AtomicU32, Ordering};

use steadfast::{Classify, UnitFailure, provider_call};

#[derive(Debug, thiserror::Error, Classify)]
enum PaymentError {
    #[error("later")]
    #[classify(rate_limited)]
    Later,
    #[error("no answer")]
    #[classify(unavailable)]
    Down,
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

// twin of: provider_call_contention
#[provider_call(retry = limited)]
async fn charge(asked: &AtomicU32) -> Result<(), PaymentError> {
    if asked.fetch_add(1, Ordering::Relaxed) < 2 { Err(PaymentError::Later) } else { Ok(()) }
}

// twin of: provider_call_not_idempotent
#[provider_call(retry = provider, idempotent = client_id(key))]
async fn charge_under_a_key(key: &str, asked: &AtomicU32) -> Result<String, PaymentError> {
    if asked.fetch_add(1, Ordering::Relaxed) < 2 { Err(PaymentError::Down) } else { Ok(key.to_owned()) }
}

// twin of: provider_call_in_a_transaction, provider_call_shape
struct Provider {
    asked: AtomicU32,
}

impl Provider {
    #[provider_call(retry = provider, idempotent = read)]
    async fn balance(&self, cents: Vec<u64>) -> Result<u64, PaymentError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(cents.into_iter().sum())
    }
}

#[tokio::test]
async fn calls_are_repeated_where_that_is_harmless() {
    let asked = AtomicU32::new(0);
    charge(&asked).await.unwrap();
    assert_eq!(asked.swap(0, Ordering::Relaxed), 3);
    assert_eq!(charge_under_a_key("order-1", &asked).await.unwrap(), "order-1");
    assert_eq!(asked.load(Ordering::Relaxed), 3);
    let provider = Provider { asked: AtomicU32::new(0) };
    assert_eq!(provider.balance(vec![1, 2]).await.unwrap(), 3);
    assert_eq!(provider.asked.load(Ordering::Relaxed), 1);
}

// twin of: http_client
#[tokio::test]
async fn a_client_takes_a_policy_for_providers_a_key_and_a_whole_body() {
    use steadfast::http::{Client, IdempotencyKey};

    let client = Client::new::<crate::retry::poor_http>(reqwest::Client::new());
    let key = IdempotencyKey::new("order-17").unwrap();
    // Nothing listens there.
    let sent = client.post("http://127.0.0.1:1/orders", &key).body("one").send().await;
    assert_eq!(sent.unwrap_err().attempts(), 1);
}
