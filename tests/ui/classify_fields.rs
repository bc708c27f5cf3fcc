//! docs/rules.md#could-and-may-are-two-questions: fields that the words do not fit.

#![allow(unused)]

#[derive(Debug, steadfast::Classify)]
enum PaymentError {
    #[classify(transparent)]
    Two(sqlx::Error, u8),
    #[classify(with = of_io)]
    Nothing,
    #[classify(rate_limited, retry_after = after)]
    TooMany { wait: std::time::Duration },
    OnField(#[classify(transparent)] sqlx::Error),
}

#[derive(Debug, steadfast::Classify)]
#[classify(domain)]
enum OnTheEnum {}

#[derive(steadfast::Classify)]
union Bits {
    all: u8,
}

fn main() {}
