//! docs/rules.md#declare-a-job-once: what is no registry by its form.

#![allow(unused)]

struct App;

mod empty {
    steadfast::registry! { static JOBS for super::App = []; }
}

mod typed {
    steadfast::registry! { static JOBS: super::App = [a]; }
}

mod called {
    steadfast::registry! { static JOBS for super::App = [a(), #[allow(unused)] b]; }
}

mod unfinished {
    steadfast::registry! { static JOBS for super::App = [a] }
}

fn main() {}
