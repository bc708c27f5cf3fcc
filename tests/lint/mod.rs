//! `steadfast-lint` from outside: on crates that others wrote, on our own, and in a build.

mod build_script;
mod ours;
mod packages;
mod real_crates;
mod reviewed;
