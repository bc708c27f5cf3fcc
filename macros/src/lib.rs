//! The attribute macros of steadfast.
