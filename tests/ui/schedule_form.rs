//! docs/rules.md#pace-by-name: what is no schedule by its form.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub schedule unknown = linear("1s");
        pub schedule typo = exponental(base = "100ms", cap = "10s");
        pub schedule of_a_policy = capped(base = "50ms", cap = "200ms", retries = 3);
        pub policy of_a_schedule = exponential(base = "50ms", cap = "200ms").on(contention);
        pub schedule word = spaced("1s").upto(5);
        pub schedule kinds = spaced("1s").up_to(5).on(unavailable);
        pub schedule twice = spaced("1s").up_to(5).up_to(6);
        pub schedule twice_in_time = spaced("1s").up_to("5m").up_to("6m");
        pub schedule bounded_already = recurs(3).up_to(5);
        pub schedule jitter = spaced("1s").jittered(none);
        pub schedule nothing_to_draw = recurs(3).jittered();
        pub policy same = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);
        pub schedule same = spaced("1s");
        pub schedule no_end = spaced("1s")
    }
}

fn main() {}
