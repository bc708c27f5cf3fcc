//! The Worker profile, as far as it can be seen on a server: which jobs a cron trigger runs, and which triggers a registry needs. What
//! happens in a Worker itself is tested by `tests/run --worker`.

mod fire_cron;
mod triggers;
