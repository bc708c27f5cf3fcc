//! Atomic units on every engine: what a body may do and what becomes of it.

mod sqlite {
    macro_rules! engine_test {
        ($(#[$meta:meta])* async fn $name:ident() $body:block) => {
            $(#[$meta])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() $body
        };
    }
    use crate::engines::sqlite as engine;
    #[path = "../suite.rs"]
    mod suite;
}

#[allow(clippy::duplicate_mod)] // the point: one suite, two engines
mod postgres {
    macro_rules! engine_test {
        ($(#[$meta:meta])* async fn $name:ident() $body:block) => {
            $(#[$meta])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            #[ignore = "needs PostgreSQL: tests/run"]
            async fn $name() $body
        };
    }
    use crate::engines::postgres as engine;
    #[path = "../suite.rs"]
    mod suite;
}
