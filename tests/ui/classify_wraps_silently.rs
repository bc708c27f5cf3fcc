//! docs/rules.md#could-and-may-are-two-questions: a wrapped error that does not say what it is.

#![allow(unused)]

#[derive(Debug, thiserror::Error, steadfast::Classify)]
enum PaymentError {
    #[error("refused")]
    Refused,
    #[error(transparent)]
    Db(#[from] sqlx::Error),
    #[error("no answer")]
    Down { source: std::io::Error },
}

fn main() {}
