//! How many requests the server sees, whatever goes wrong.

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use steadfast::{
    Classify as _, Kind, Stopped, atomic_unit, durable,
    http::{Client, IdempotencyKey, Request},
    provider_call,
    sqlite::Tx,
};
use steadfast_tests::sqlite::Database;

use super::upstream::{Answer, Upstream, client, client_of};
use crate::{
    engines::Error,
    retry,
    retry::deadline::CallError,
    telemetry::{CANARY, told},
};

const FAILURES: [Answer; 8] = [
    Answer::Status(408),
    Answer::Status(425),
    Answer::Status(429),
    Answer::Status(500),
    Answer::Status(502),
    Answer::Status(503),
    Answer::Status(504),
    Answer::Reset,
];

fn requests(client: &Client, url: &str) -> Vec<Request> {
    let key = IdempotencyKey::new("order-17").unwrap();
    vec![
        client.get(url),
        client.head(url),
        client.options(url),
        client.put(url).body("state"),
        client.delete(url),
        client.post(url, &key).body("order"),
        client.patch(url, &key).body("change"),
    ]
}

/// Status and broken connections have one counter: two of them, nested, would make sixteen.
#[tokio::test]
async fn four_requests_and_never_more_whatever_the_failures_are() {
    let seed: u64 = rand::random();
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    for round in 0..40 {
        let script = if round == 0 {
            // What makes sixteen with Effect 4.1.
            [503, 503, 503].map(Answer::Status).into_iter().chain([Answer::Reset]).cycle().take(16).collect()
        } else {
            (0..16).map(|_| FAILURES[random.random_range(0..FAILURES.len())]).collect::<Vec<_>>()
        };
        for number in 0..7 {
            let upstream = Upstream::new(script.clone()).await;
            let request = requests(&client(), upstream.url()).swap_remove(number);
            let error = request.send().await.unwrap_err();
            assert_eq!((error.attempts(), error.stopped()), (4, Stopped::Spent), "{script:?}");
            assert_eq!(upstream.count(), 4, "{script:?}");
        }
    }
}

#[tokio::test]
async fn every_method_ends_with_the_first_answer_and_sends_the_same_each_time() {
    for (number, method) in ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "POST", "PATCH"].into_iter().enumerate() {
        let upstream = Upstream::new([Answer::Status(503), Answer::Reset]).await;
        let request = requests(&client(), upstream.url()).swap_remove(number);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        let seen = upstream.seen();
        assert_eq!(seen.len(), 3, "{method}");
        assert!(seen.iter().all(|request| *request == seen[0] && request.method == method), "{seen:?}");
        let has_key = matches!(method, "POST" | "PATCH");
        assert_eq!(seen[0].key.as_deref(), has_key.then_some("order-17"), "{method}");
    }
}

/// What is no failure of the table is the answer, and a body that breaks off belongs to a request that was done.
#[tokio::test]
async fn anything_else_is_sent_once() {
    for code in [200, 201, 204, 304, 400, 401, 403, 404, 409, 410, 422, 451, 501, 505, 507, 511] {
        let upstream = Upstream::new([Answer::Status(code)]).await;
        let response = client().get(upstream.url()).send().await.unwrap();
        assert_eq!((response.status().as_u16(), upstream.count()), (code, 1));
    }
    let upstream = Upstream::new([Answer::Half]).await;
    let answer = client().get(upstream.url()).send().await.unwrap();
    let error = steadfast::http::Error::from(answer.text().await.unwrap_err());
    assert_eq!((error.kind(), upstream.count()), (Kind::Other, 1));
}

/// Nothing listens there.
#[tokio::test]
async fn a_refused_connection_is_a_lost_one() {
    let error = client().get("http://127.0.0.1:1/").send().await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (Kind::ConnectionLost, 4));
    assert!(std::error::Error::source(&error).is_some());
}

#[tokio::test]
async fn a_policy_retries_what_it_names() {
    let upstream = Upstream::new([Answer::Status(429), Answer::Status(503)]).await;
    let error = client_of::<retry::limited>().get(upstream.url()).send().await.unwrap_err();
    assert_eq!((error.kind(), error.stopped()), (Kind::Unavailable, Stopped::NotRetried));
    assert_eq!((error.attempts(), upstream.count()), (2, 2));
    // Nothing is lost: the answer that was the last one is there.
    assert_eq!(error.failure().map(|failure| failure.kind), Some(Kind::Unavailable));
    assert_eq!(error.into_response().unwrap().text().await.unwrap(), "done");
}

#[provider_call(retry = http, idempotent = read)]
async fn around(client: &Client, url: &str) -> Result<(), CallError> {
    client.get(url).send().await?;
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn in_a_unit(_tx: &mut Tx<'_>, client: &Client, url: &str) -> Result<u32, Error> {
    Ok(client.get(url).send().await.map_or_else(|error| error.attempts(), |_| 0))
}

#[tokio::test]
async fn one_layer_retries() {
    let failing = || Upstream::new([Answer::Status(503); 40]);
    let upstream = failing().await;
    around(&client(), upstream.url()).await.unwrap_err();
    assert_eq!(upstream.count(), 4, "the outer call's, each sent once");

    let (upstream, database) = (failing().await, Database::create().await);
    assert_eq!(in_a_unit(database.pool(), &client(), upstream.url()).await.unwrap(), 1);
    assert_eq!(upstream.count(), 1);

    let upstream = failing().await;
    let error = durable::scope(client().get(upstream.url()).send()).await.unwrap_err();
    assert_eq!((error.stopped(), upstream.count()), (Stopped::Durable, 1));
}

/// The URL's query holds a secret.
#[test]
fn no_url_is_told() {
    let (counters, log) = told(async {
        let upstream = Upstream::new([Answer::Status(503); 4].into_iter().chain([Answer::Reset; 4])).await;
        for _ in 0..2 {
            let error = client().get(upstream.url()).send().await.unwrap_err();
            let source = std::error::Error::source(&error);
            assert!(!format!("{error} {error:?} {source:?}").contains(CANARY), "{error:?} {source:?}");
        }
    });
    let text = log.text();
    let ours: Vec<_> = text.lines().filter(|line| line.contains("steadfast")).collect();
    assert_eq!(ours.iter().filter(|line| line.contains("provider call failed")).count(), 2, "{text}");
    assert!(
        ours.iter().any(|line| line.contains("call=\"http.get\"") && line.contains("stopped=\"spent\"")),
        "{ours:?}"
    );
    assert!(!ours.concat().contains(CANARY), "{ours:?}");
    assert!(counters.keys().all(|name| !name.contains(CANARY)));
    assert_eq!(counters["steadfast_unit_attempts_total{unit=http.get,kind=unavailable,phase=call}"], 4);
}

/// Resolves no name, for ever.
struct Nowhere;

impl reqwest::dns::Resolve for Nowhere {
    fn resolve(&self, _: reqwest::dns::Name) -> reqwest::dns::Resolving {
        Box::pin(std::future::pending())
    }
}

/// reqwest calls it a timeout, and it is none of the request: nothing was sent.
#[tokio::test]
async fn a_connection_that_is_not_made_in_time_is_a_lost_one() {
    let base = reqwest::Client::builder().no_proxy().dns_resolver(std::sync::Arc::new(Nowhere));
    let base = base.connect_timeout(std::time::Duration::from_millis(20)).build().unwrap();
    let error = Client::new::<retry::http>(base).get("http://nowhere.example/").send().await.unwrap_err();
    assert_eq!((error.kind(), error.stopped()), (Kind::ConnectionLost, Stopped::Spent), "{error}");
}

/// Neither the query nor a header of the request or of its client: each may be a token.
#[tokio::test]
async fn a_request_prints_no_secret() {
    let value: reqwest::header::HeaderValue = CANARY.parse().unwrap();
    let headers = [("x-default".parse().unwrap(), value.clone())].into_iter().collect();
    let base = reqwest::Client::builder().default_headers(headers).build().unwrap();
    let request = Client::new::<retry::http>(base)
        .post(format!("https://shop.example/?token={CANARY}"), &IdempotencyKey::new(CANARY).unwrap())
        .header("x-api-key".parse().unwrap(), value);
    let text = format!("{request:?}");
    assert!(text.contains("POST") && text.contains("http") && !text.contains(CANARY), "{text}");
}

/// `?` takes in what `error_for_status` and the base client say: that the request was done is known of a broken body alone.
#[tokio::test]
async fn an_error_of_reqwest_promises_nothing() {
    let upstream = Upstream::new([Answer::Status(404), Answer::Half]).await;
    let status = client().get(upstream.url()).send().await.unwrap().error_for_status().unwrap_err();
    let half = client().get(upstream.url()).send().await.unwrap().bytes().await.unwrap_err();
    let refused = client().base().post("http://127.0.0.1:1/").send().await.unwrap_err();
    for (error, is_done) in [(status, false), (half, true), (refused, false)] {
        let error = steadfast::http::Error::from(error);
        assert_eq!(error.to_string().contains("was done"), is_done, "{error}");
    }
}
