//! What the expansions of `#[job]`, `#[poll]`, `registry!` and `#[derive(Provide)]` call; re-exported as `steadfast::__private`.

pub use crate::{clock::JobClock, platform::MaybeSync};

pub use super::{
    job::{Job, JobError, JobMeta, LeaseMode, Meta, Provide, Run, ended, failed},
    name::{name_bytes, name_len, str_of},
    poll::{Poll, PollMeta, Tick, ticked},
    ready::{Flag, LeaseKind, any_exclusive},
    registry::{Entry, Listed, fresh},
};
