//! docs/rules.md#could-and-may-are-two-questions: a wrapped error that says nothing, a wait that is none.
//!
//! E0308: the function of `with` answers `Option<Failure>`, `None` for what is never retried.

#![allow(unused)]

#[derive(Debug, steadfast::Classify)]
enum PaymentError {
    #[classify(transparent)]
    Io(std::io::Error),
    #[classify(rate_limited, retry_after = seconds)]
    TooMany { seconds: u64 },
    #[classify(with = of_text)]
    Text(String),
}

fn of_text(text: &str) -> bool {
    text.is_empty()
}

fn main() {}
