//! docs/rules.md#declare-a-job-once: a type that is no job.

#![allow(unused)]

use steadfast::registry;
use steadfast_tests::shop::Mailer;

struct App;

registry! {
    static JOBS for App = [Mailer];
}

fn main() {
    println!("{:?}", JOBS);
}
