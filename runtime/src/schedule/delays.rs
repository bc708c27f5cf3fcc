//! One schedule on its way: how many recurrences there were, and what the next wait is.

use std::time::Duration;

use crate::platform::Instant;

use super::{Hooks, Schedule, Shape, Step};
use crate::retry::{Around, Stopped, has_passed, jittered};

#[derive(Debug)]
pub(super) struct Delays {
    schedule: Schedule,
    started: Instant,
    /// What was made of it so far.
    recurrences: u64,
    waited: Duration,
    /// The moment of a cadence that the last run was meant for, counted from the first run, which is 0.
    moment: u128,
}

impl Delays {
    /// The first run begins now.
    pub(super) fn start(schedule: Schedule) -> Self {
        Self { schedule, started: Instant::now(), recurrences: 0, waited: Duration::ZERO, moment: 0 }
    }

    pub(super) fn recurrences(&self) -> u64 {
        self.recurrences
    }

    /// A run has ended: the wait before the next one, or why there is none. It is waited by a [`Pause`].
    pub(super) fn step<I>(
        &mut self,
        input: &I,
        hooks: &mut impl Hooks<I>,
        asked: Option<Duration>,
        around: &Around,
    ) -> Result<Duration, Stopped> {
        let Schedule { times, .. } = self.schedule;
        if times.is_some_and(|times| self.recurrences >= u64::from(times)) {
            return Err(Stopped::Spent);
        }
        let elapsed = self.started.elapsed();
        let drawn = self.draw(elapsed, rand::random());
        let attempt = self.recurrences.saturating_add(1);
        let step = Step { input, output: self.recurrences, attempt, delay: drawn, elapsed };
        let delay = hooks.delay(step);
        let limit = self.schedule.limit().map(|limit| limit.saturating_sub(elapsed));
        let wait = around.fit(delay, asked, || {
            let left = self.schedule.longest_wait().saturating_sub(self.waited);
            limit.map_or(left, |limit| limit.min(left))
        })?;
        if limit.is_some_and(|limit| wait > limit) {
            return Err(Stopped::Spent);
        }
        hooks.tap(&Step { delay: wait, ..step });
        Ok(wait)
    }

    /// The wait is over: `false` when the caller's time is, too, and the run must not begin.
    pub(super) fn waited(&mut self, wait: Duration) -> bool {
        if has_passed() {
            return false;
        }
        self.recurrences = self.recurrences.saturating_add(1);
        self.waited = self.waited.saturating_add(wait);
        true
    }

    fn draw(&mut self, elapsed: Duration, draw: u32) -> Duration {
        let Schedule { shape, jitter, times, .. } = self.schedule;
        // A schedule that has no end and no cap does not exist: after so many steps every delay is the highest.
        let n = u32::try_from(self.recurrences).unwrap_or(u32::MAX);
        let is_last = times == Some(n.saturating_add(1));
        let jittered = |delay| jitter.map_or(delay, |jitter| jittered(delay, jitter, is_last, draw));
        match shape {
            Shape::Fixed(period) => {
                let period = Duration::from_millis(period);
                let delay = self.until_aligned(period, elapsed);
                // Drawn from the period before the moment: early runs do not add up.
                let drawn = delay.min(period);
                delay.saturating_sub(drawn).saturating_add(jittered(drawn))
            }
            _ => jittered(shape.delay(n)),
        }
    }

    /// What is left until the next moment of a cadence. Moments that have passed are left out, and none is met twice: a run
    /// that began before its moment, by jitter, is followed by the one after it.
    fn until_aligned(&mut self, period: Duration, elapsed: Duration) -> Duration {
        let (period, elapsed) = (period.as_nanos().max(1), elapsed.as_nanos());
        self.moment = elapsed.div_ceil(period).max(self.moment + 1);
        // Of two 128-bit numbers of nanoseconds, neither of which comes near its end in the life of a process.
        Duration::from_nanos_u128(self.moment * period - elapsed)
    }
}
