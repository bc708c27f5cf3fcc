//! Which slots are due: the runner's decision, without time or tasks.

use crate::jobs::{cron::Cron, lease::LIE_MINUTES, slot::Slot};

/// A job's next slot, in memory. It starts after the minute of the start, so a restart within a minute repeats nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next(Option<Slot>);

impl Next {
    pub(crate) fn after(cron: &Cron, start: Slot) -> Self {
        Self(cron.next(start))
    }

    pub(crate) const fn slot(self) -> Option<Slot> {
        self.0
    }

    /// The latest slot that is due, if one is. What lies before it is skipped: a wake after 14 days is one run.
    ///
    /// A timer that fires early and a clock that goes back find nothing due, so they repeat nothing.
    pub(crate) fn take_due(&mut self, cron: &Cron, minute: Slot) -> Option<Slot> {
        if self.0.is_none_or(|next| next > minute) {
            return None;
        }
        self.0 = cron.next(minute);
        cron.latest(minute)
    }
}

/// The latest minute that was seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen(Slot);

impl Seen {
    pub(crate) fn at(minute: Slot) -> Self {
        Self(minute)
    }

    /// Has the clock gone back by more than a day? What it showed before was a lie then, and to wait for it would stop
    /// every job for as long; the same measure as in the lease row.
    pub(crate) fn was_a_lie(&mut self, minute: Slot) -> bool {
        let lie = self.0.minutes() - minute.minutes() > LIE_MINUTES;
        self.0 = if lie { minute } else { self.0.max(minute) };
        lie
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(day: u32, hour: u32, minute: u32) -> Slot {
        Slot::utc(2026, 1, day, hour, minute).expect("a date")
    }

    #[test]
    fn early_and_backward_repeat_nothing() {
        let nightly = Cron::from_masks(1, 1 << 3, !0, !0, !0);
        let mut next = Next::after(&nightly, slot(1, 3, 0));
        assert_eq!(next.slot(), Some(slot(2, 3, 0)));
        assert_eq!(next.take_due(&nightly, slot(2, 2, 59)), None, "early");
        assert_eq!(next.take_due(&nightly, slot(2, 3, 0)), Some(slot(2, 3, 0)));
        assert_eq!(next.take_due(&nightly, slot(2, 3, 0)), None, "the same minute");
        assert_eq!(next.take_due(&nightly, slot(2, 1, 0)), None, "backward");
        assert_eq!(next.take_due(&nightly, slot(2, 3, 0)), None, "there again");
        assert_eq!(next.take_due(&nightly, slot(16, 12, 0)), Some(slot(16, 3, 0)), "14 days forward: the latest only");
        assert_eq!(next.slot(), Some(slot(17, 3, 0)));
    }

    #[test]
    fn a_clock_that_lied_is_forgotten() {
        let mut seen = Seen::at(slot(1, 0, 0));
        assert!(!seen.was_a_lie(slot(20, 0, 0)), "forward is not told from a sleep");
        assert!(!seen.was_a_lie(slot(19, 0, 0)), "a day back");
        assert!(seen.was_a_lie(slot(18, 23, 59)), "more than a day");
        assert!(!seen.was_a_lie(slot(18, 23, 59)));
    }
}
