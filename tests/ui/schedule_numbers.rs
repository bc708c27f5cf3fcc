//! docs/rules.md#pace-by-name: delays without a cap, delays that are none, and ends before the first delay.

#![allow(unused)]

mod retry {
    steadfast::policies! {
        pub schedule without_cap = exponential(base = "100ms");
        pub schedule cap_below = fibonacci(base = "2s", cap = "1s");
        pub schedule no_delay = spaced("0s");
        pub schedule no_cadence = fixed("0ms");
        pub schedule from_nothing = exponential(base = "0s", cap = "1s");
        pub schedule number = spaced(5);
        pub schedule never_again = recurs(0);
        pub schedule no_times = spaced("1s").up_to(0);
        pub schedule no_time = spaced("1s").up_to("0s");
        pub schedule too_short = spaced("10s").up_to("5s");
        pub schedule a_word = spaced("1s").up_to(five);
        pub schedule too_often = recurs(99999999);
        pub schedule two_jitters = spaced("1s").jittered(full, equal);
        pub schedule of_policies = spaced("1s").jittered(decorrelated);
    }
}

fn main() {}
