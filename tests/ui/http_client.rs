//! docs/rules.md#retry-http-where-a-replay-is-harmless: a policy for databases, a stream, and a POST without a key.
//!
//! E0061: `post` and `patch` take an `IdempotencyKey` as their second argument, since a repeat without one is a second order.

#![allow(unused)]

use reqwest::Body;
use steadfast::http::Client;

mod retry {
    pub use steadfast::policy::*;
}

fn client() -> Client {
    Client::new::<retry::contention>(reqwest::Client::new())
}

async fn upload(client: &Client, stream: Body) -> Result<(), steadfast::http::Error> {
    client.put("https://files.example/a").body(stream).send().await?;
    Ok(())
}

async fn order(client: &Client) -> Result<(), steadfast::http::Error> {
    client.post("https://shop.example/orders").send().await?;
    Ok(())
}

fn main() {}
