//! docs/rules.md#could-and-may-are-two-questions: words that say nothing, or two things.

#![allow(unused)]

#[derive(Debug, steadfast::Classify)]
enum PaymentError {
    #[classify]
    Empty,
    #[classify(transparant)]
    Typo(sqlx::Error),
    #[classify(contention)]
    Contention,
    #[classify(domain, unavailable)]
    Both,
    #[classify(domain, retry_after = wait)]
    Wait { wait: std::time::Duration },

    #[classify(retry_after = wait)]
    WaitAlone { wait: std::time::Duration },

    #[classify(unavailable)]
    #[classify(domain)]
    Twice,
}

fn main() {}
