//! `steadfast::testing`, as users' tests call it.

mod names;
mod store;
