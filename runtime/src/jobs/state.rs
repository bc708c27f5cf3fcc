//! What a process remembers of a job from run to run: whether one is alive, and which warnings were given.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use super::slot::Slot;

/// At this many slots in a row that one holder keeps from running, it is told. One or two are a run that takes a little longer.
const SEVERAL: u32 = 3;

#[derive(Debug, Default)]
pub(crate) struct JobState {
    alive: AtomicBool,
    skew_told: AtomicBool,
    pause_told: AtomicBool,
    blocked: Mutex<Blocked>,
}

/// The slot whose run held the lease when this replica last lost to it, and how many slots were lost to it.
#[derive(Debug, Default)]
struct Blocked {
    by: Option<Slot>,
    slots: u32,
}

impl JobState {
    pub(crate) fn is_running(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    /// Is this the first time that the job's clock was off?
    pub(crate) fn first_skew(&self) -> bool {
        !self.skew_told.swap(true, Ordering::Relaxed)
    }

    /// Is the job paused? The end of a pause is seen, so that the next one is told.
    pub(crate) fn saw_pause(&self, paused: bool) {
        if !paused {
            self.pause_told.store(false, Ordering::Relaxed);
        }
    }

    /// Is this the first slot that a pause kept from running?
    pub(crate) fn first_pause(&self) -> bool {
        !self.pause_told.swap(true, Ordering::Relaxed)
    }

    /// A slot was lost to the run of slot `by`. True when that makes several, once a holder.
    pub(crate) fn blocks_several(&self, by: Slot) -> bool {
        let mut blocked = self.blocked.lock().unwrap_or_else(PoisonError::into_inner);
        if blocked.by != Some(by) {
            *blocked = Blocked { by: Some(by), slots: 0 };
        }
        blocked.slots = blocked.slots.saturating_add(1);
        blocked.slots == SEVERAL
    }
}

/// Set while a run is alive, whatever ends it.
pub(crate) struct Alive(Arc<JobState>);

impl Alive {
    pub(crate) fn begin(state: &Arc<JobState>) -> Self {
        state.alive.store(true, Ordering::Release);
        Self(Arc::clone(state))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.alive.store(false, Ordering::Release);
    }
}
