//! docs/rules.md#retries-have-a-budget: shares that are none, and a hook that is no function.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub policy all = capped(base = "50ms", cap = "200ms", retries = 3).on(unavailable).budget(ratio = 2.0);
        pub policy nothing = capped(base = "50ms", cap = "200ms", retries = 3).on(unavailable).budget();
        pub policy text = capped(base = "50ms", cap = "200ms", retries = 3).on(unavailable).budget(ratio = "10%");
        pub policy many = capped(base = "50ms", cap = "200ms", retries = 3).on(unavailable).budget(ratio = 0.1, min_per_second = 5000);
        pub policy typed = capped(base = "50ms", cap = "200ms", retries = 3).on(unavailable).budget(ratio = 0.1f32);
        pub policy fine = capped(base = "50ms", cap = "200ms", retries = 3).on(unavailable).budget(ratio = 0.1234567);
        pub policy inline = capped(base = "50ms", cap = "200ms", retries = 3).on(unavailable).on_retry(|_| println!("again"));
        pub policy no_hook = capped(base = "50ms", cap = "200ms", retries = 3).on(unavailable).on_retry();
    }
}

fn main() {}
