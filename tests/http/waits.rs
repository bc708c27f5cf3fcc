//! What the server asks to wait, and what the caller has time for.

use std::time::Duration;

use steadfast::{Kind, Stopped, tower::DeadlineLayer, within};
use tokio::time::Instant;

use super::upstream::{Answer, Upstream, client, client_of};
use crate::retry;

/// koala73/worldmonitor#6110: 1213 seconds were clamped to ten, twice, and refused each time. hashicorp/go-retryablehttp#297: a huge
/// number overflowed to none.
#[tokio::test]
async fn a_wait_without_time_for_it_fails_at_once() {
    for asked in ["1213", "9223372037", "18446744073709551616", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let upstream = Upstream::new([Answer::Later(429, asked)]).await;
        let error = client().get(upstream.url()).send().await.unwrap_err();
        assert_eq!(
            (error.kind(), error.stopped(), error.attempts()),
            (Kind::RateLimited, Stopped::RetryAfter, 1),
            "{asked}"
        );
        assert!(error.retry_after() > Some(Duration::from_mins(20)), "{asked}");
        assert!(error.to_string().contains("longer wait than there is time for"), "{error}");
        assert_eq!(upstream.count(), 1, "{asked}");
    }
}

#[tokio::test]
async fn a_wait_that_cannot_be_read_or_is_over_is_none() {
    for asked in ["soon", "-1", "0", "Sun, 06 Nov 1994 08:49:37 GMT"] {
        let upstream = Upstream::new([Answer::Later(503, asked)]).await;
        client().get(upstream.url()).send().await.unwrap();
        assert_eq!(upstream.count(), 2, "{asked}");
    }
}

/// With a deadline, the server may ask for all of it.
#[tokio::test(start_paused = true)]
async fn a_wait_that_fits_into_the_deadline_is_waited() {
    let upstream = Upstream::new([Answer::Later(503, "20")]).await;
    let start = Instant::now();
    within(Duration::from_hours(1), client().get(upstream.url()).send()).await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(20), "{:?}", start.elapsed());
    assert_eq!(upstream.count(), 2);
}

/// Nobody has set a timeout: the caller's deadline is one.
#[tokio::test]
async fn a_silent_server_is_waited_for_as_long_as_the_caller_has_time() {
    let upstream = Upstream::new([Answer::Silence]).await;
    let error = within(Duration::from_millis(100), client().get(upstream.url()).send()).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.stopped()),
        (Kind::AttemptTimeout, Stopped::Deadline),
        "it is not the request's own"
    );
    assert_eq!((error.attempts(), upstream.count()), (1, 1));
}

#[tokio::test]
async fn a_timeout_of_the_request_is_never_retried() {
    let upstream = Upstream::new([Answer::Silence]).await;
    let request = client().get(upstream.url()).timeout(Duration::from_millis(50));
    let error = within(Duration::from_mins(1), request.send()).await.unwrap_err();
    assert_eq!((error.kind(), error.stopped(), upstream.count()), (Kind::AttemptTimeout, Stopped::NotRetried, 1));
}

#[tokio::test]
async fn nothing_is_sent_when_no_time_is_left() {
    let upstream = Upstream::new([]).await;
    let error = within(Duration::ZERO, client().get(upstream.url()).send()).await.unwrap_err();
    assert_eq!((error.stopped(), error.attempts(), upstream.count()), (Stopped::Deadline, 0, 0));
}

#[tokio::test]
async fn a_budget_bounds_requests_too() {
    let upstream = Upstream::new([Answer::Status(503); 40]).await;
    let client = client_of::<retry::poor_http>();
    let mut stopped = Vec::new();
    for _ in 0..3 {
        stopped.push(client.get(upstream.url()).send().await.unwrap_err().stopped());
    }
    assert_eq!(stopped, [Stopped::Budget; 3]);
    assert_eq!(upstream.count(), 3 + 2, "two retries are free in a second");
}

/// A server of one's own: each of its requests has a deadline, which what it calls is under.
#[tokio::test]
async fn a_layer_opens_a_deadline_for_each_request() {
    use axum::{Router, routing::get};

    let handler = || async { steadfast::remaining().is_some_and(|left| left <= Duration::from_secs(3)).to_string() };
    let router = Router::new().route("/", get(handler)).layer(DeadlineLayer::new(Duration::from_secs(3)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let answer = client().get(&url).send().await.unwrap().text().await.unwrap();
    assert_eq!(answer, "true");
    serving.abort();
}

/// The deadline has a timer of its own: as the request's timeout it would replace that of the client.
#[tokio::test]
async fn a_deadline_lifts_no_timeout_of_the_client() {
    let upstream = Upstream::new([Answer::Silence]).await;
    let base = reqwest::Client::builder().no_proxy().timeout(Duration::from_millis(50)).build().unwrap();
    let client = steadfast::http::Client::new::<retry::http>(base);
    let error = within(Duration::from_mins(1), client.get(upstream.url()).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.stopped(), upstream.count()), (Kind::AttemptTimeout, Stopped::NotRetried, 1));
}

/// "Timed out" would hide why there was a second attempt.
#[tokio::test]
async fn the_failure_before_the_one_that_was_cut_off_is_told() {
    let upstream = Upstream::new([Answer::Status(503), Answer::Silence]).await;
    let error = within(Duration::from_millis(200), client().get(upstream.url()).send()).await.unwrap_err();
    assert_eq!((error.kind(), error.stopped(), error.attempts()), (Kind::Unavailable, Stopped::Deadline, 2));
    assert_eq!(error.status().map(|status| status.as_u16()), Some(503));
    assert!(error.to_string().contains("503") && error.to_string().contains("deadline"), "{error}");
}
