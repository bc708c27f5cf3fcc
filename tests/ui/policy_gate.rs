//! docs/rules.md#jitter-under-the-cap: a queue for units that meet no contention, or that is given twice.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub policy provider = capped(base = "50ms", cap = "200ms", retries = 3).on(rate_limited).gate();
        pub policy twice = capped(base = "50ms", cap = "200ms", retries = 3).on(contention).gate().gate();
        pub policy sized = capped(base = "50ms", cap = "200ms", retries = 3).on(contention).gate(4);
    }
}

fn main() {}
