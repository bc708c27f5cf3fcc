//! The server: each request takes the next answer of the script, and is remembered.

use std::{
    collections::VecDeque,
    io,
    net::Ipv4Addr,
    panic::resume_unwind,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::Response,
};
use futures_util::StreamExt as _;
use reqwest::StatusCode;
use steadfast::{http::Client, retry::NamedPolicy};
use tokio::{net::TcpListener, task::JoinHandle};

use crate::retry;

/// What the server does with one request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer {
    Status(u16),
    /// A status with a `Retry-After`.
    Later(u16, &'static str),
    /// The connection is closed without an answer.
    Reset,
    /// The head of an answer, and a body that breaks off.
    Half,
    /// No answer at all.
    Silence,
}

/// A request as it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) method: String,
    pub(super) key: Option<String>,
    pub(super) body: Vec<u8>,
}

#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<Answer>>,
    seen: Mutex<Vec<Seen>>,
}

/// The server, which ends with this value.
pub(super) struct Upstream {
    url: String,
    script: Arc<Script>,
    serving: JoinHandle<()>,
}

impl Upstream {
    /// Answers as written, and then with 200.
    pub(super) async fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}/things?token={}", listener.local_addr().unwrap(), crate::telemetry::CANARY);
        let script = Arc::new(Script::default());
        script.answers.lock().unwrap().extend(answers);
        let router = Router::new().fallback(answer).with_state(Arc::clone(&script));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, script, serving }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.script.seen.lock().unwrap().clone()
    }

    pub(super) fn count(&self) -> usize {
        self.script.seen.lock().unwrap().len()
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(State(script): State<Arc<Script>>, request: Request) -> Response {
    let key = request.headers().get("idempotency-key").map(|key| key.to_str().unwrap().to_owned());
    let method = request.method().to_string();
    let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap().to_vec();
    script.seen.lock().unwrap().push(Seen { method, key, body });
    let answer = script.answers.lock().unwrap().pop_front().unwrap_or(Answer::Status(200));
    let mut response = Response::new(Body::from("done"));
    match answer {
        Answer::Status(code) => *response.status_mut() = StatusCode::from_u16(code).unwrap(),
        Answer::Later(code, wait) => {
            *response.status_mut() = StatusCode::from_u16(code).unwrap();
            response.headers_mut().insert("retry-after", wait.parse().unwrap());
        }
        // Ends the task of this connection, and with it the connection.
        Answer::Reset => resume_unwind(Box::new("reset on script")),
        Answer::Half => {
            let pieces = [Ok("half"), Err(io::Error::other("broken off on script"))];
            // One after the other, so that the head and the first half are on their way when it breaks.
            let slowly = futures_util::stream::iter(pieces).then(|piece| async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                piece
            });
            *response.body_mut() = Body::from_stream(slowly);
        }
        Answer::Silence => std::future::pending().await,
    }
    response
}

/// A client that retries whatever may be retried, soon.
pub(super) fn client() -> Client {
    client_of::<retry::http>()
}

pub(super) fn client_of<P: NamedPolicy<Contention = steadfast::__private::No>>() -> Client {
    Client::new::<P>(reqwest::Client::builder().no_proxy().retry(reqwest::retry::never()).build().unwrap())
}
