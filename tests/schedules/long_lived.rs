//! A schedule that has no end stays under its cap for as long as it lives.

use std::time::Duration;

use steadfast::schedule::{self, Step};

use super::{WorkError, ms};
use crate::retry;

/// Effect-TS/effect#2717: delays that doubled without a cap became no delay at all, minutes later.
#[tokio::test(start_paused = true)]
async fn a_hundred_thousand_delays_stay_at_the_cap() {
    const STEPS: u64 = 100_000;
    let mut steps = 0;
    let seen = |step: &Step<'_, ()>| {
        steps = step.attempt;
        let whole = if step.output < 7 { ms(100 << step.output) } else { Duration::from_secs(10) };
        assert!((whole * 4 / 5..=whole).contains(&step.delay), "{step:?} of {whole:?}");
    };
    let runs = std::cell::Cell::new(0);
    let work = async || {
        runs.update(|runs| runs + 1);
        if runs.get() > STEPS { Err(WorkError::Domain) } else { Ok(()) }
    };
    let told = schedule::of::<retry::long_lived>().tap(seen).repeat(work).await;
    assert!(matches!(told, Err(WorkError::Domain)));
    assert_eq!(steps, STEPS);
}
