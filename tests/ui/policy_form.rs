//! docs/rules.md#name-every-policy: what is no policy by its form.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub polcy typo = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);
        pub policy shape = exponential("50ms").on(contention);
        pub policy factor = capped(base = "50ms", factor = 3, cap = "200ms", attempts = 4).on(contention);
        pub policy never = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);
        pub policy same = capped(base = "50ms", cap = "200ms", retries = 3).on(deadlock);
        pub policy same = capped(base = "50ms", cap = "200ms", retries = 3).on(serialization);
        pub policy no_end = capped(base = "50ms", cap = "200ms", retries = 3).on(contention)
    }
}

fn main() {}
