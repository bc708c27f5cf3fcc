//! docs/rules.md#name-every-policy: `policies!` anywhere but in `crate::retry`.

#![allow(unused)]

mod billing {
    steadfast::policies! {
        pub policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);
    }

    pub mod retry {
        steadfast::policies! {
            pub policy deadlock = capped(base = "50ms", cap = "200ms", retries = 3).on(deadlock);
        }
    }
}

fn main() {}
