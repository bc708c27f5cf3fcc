//! docs/rules.md#some-failures-are-never-retried: a kind that no policy may name, and one that does not exist.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub policy slow = capped(base = "50ms", cap = "200ms", retries = 3).on(statement_timeout);
        pub policy full = capped(base = "50ms", cap = "200ms", retries = 3).on(contention, pool_exhausted);
        pub policy doubt = capped(base = "50ms", cap = "200ms", retries = 3).on(in_doubt);
        pub policy login = capped(base = "50ms", cap = "200ms", retries = 3).on(auth, domain);
    }
}

fn main() {}
