//! Bodies that can be sent again, and keys by which the server knows a repeat.

use reqwest::{Body, header::HeaderName};
use steadfast::{
    Slot,
    http::{Client, IdempotencyKey},
};

use super::upstream::{Answer, Upstream, client};
use crate::retry;

/// `.body(…)` takes no stream, so one gets in by way of the builder only.
#[tokio::test]
async fn a_stream_is_refused_before_anything_is_sent() {
    let upstream = Upstream::new([]).await;
    let pieces = futures_util::stream::iter([Ok::<_, std::io::Error>("one")]);
    let stream = Body::wrap_stream(pieces);
    let error = client().put(upstream.url()).with(|request| request.body(stream)).send().await.unwrap_err();
    assert!(error.to_string().contains("stream as its body") && error.to_string().contains("collect it"), "{error}");
    assert_eq!((error.attempts(), upstream.count()), (0, 0));
}

#[tokio::test]
async fn bytes_and_texts_are_sent_whole_each_time() {
    let upstream = Upstream::new([Answer::Status(503), Answer::Status(200), Answer::Reset]).await;
    let (client, big) = (client(), vec![7; 300_000]);
    client.put(upstream.url()).body("text").send().await.unwrap();
    client.put(upstream.url()).body(big.clone()).send().await.unwrap();
    let bodies: Vec<_> = upstream.seen().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies, [b"text".to_vec(), b"text".to_vec(), big.clone(), big]);
}

#[tokio::test]
async fn what_cannot_be_built_is_told_and_not_sent() {
    let error = client().get("not a url").send().await.unwrap_err();
    assert!(error.to_string().contains("cannot be built"), "{error}");
    assert_eq!(error.attempts(), 0);
}

/// A job's mail: the key is the slot's, whoever sends it, and the builder cannot take it away.
#[tokio::test]
async fn the_key_of_a_slot_travels_with_every_attempt() {
    let upstream = Upstream::new([Answer::Status(502)]).await;
    let key = IdempotencyKey::from_slot(Slot::utc(2026, 1, 2, 3, 0).unwrap(), "digest");
    let request = client().post(upstream.url(), &key).with(|request| request.header("idempotency-key", "mine"));
    request.send().await.unwrap();
    let keys: Vec<_> = upstream.seen().into_iter().map(|request| request.key.unwrap()).collect();
    assert_eq!(keys, ["digest@2026-01-02T03:00:00Z"; 2]);
}

#[tokio::test]
async fn a_provider_may_call_the_key_otherwise() {
    let upstream = Upstream::new([]).await;
    let name = HeaderName::from_static("paypal-request-id");
    let base = reqwest::Client::builder().no_proxy().build().unwrap();
    let client = Client::new::<retry::http>(base).key_header(name);
    client.post(upstream.url(), &IdempotencyKey::new("k").unwrap()).send().await.unwrap();
    assert_eq!(upstream.seen()[0].key, None);
    assert!(!format!("{client:?}").contains("127.0.0.1"));
}

/// What makes a repeat harmless was said of the method that the request was made for.
#[tokio::test]
async fn a_get_that_the_builder_turns_into_a_post_is_refused() {
    let upstream = Upstream::new([Answer::Status(503)]).await;
    let base = reqwest::Client::builder().no_proxy().build().unwrap();
    let error = client().get(upstream.url()).with(|_| base.post(upstream.url())).send().await.unwrap_err();
    assert!(error.to_string().contains("another method"), "{error}");
    assert_eq!((error.attempts(), upstream.count()), (0, 0));
}
