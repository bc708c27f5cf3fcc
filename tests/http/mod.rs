//! `steadfast::http` in front of a real server on loopback that fails on script.

mod bodies;
mod counts;
mod upstream;
mod waits;
