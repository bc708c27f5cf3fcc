//! What the expansions of `#[job]`, `registry!` and `#[derive(Provide)]` call; re-exported as `steadfast::__private`.

pub use super::{
    job::{Job, JobError, JobMeta, LeaseMode, Meta, Provide, Run, ended},
    name::{fresh, name_bytes, name_len, str_of},
    registry::{Flag, LeaseKind, any},
};
