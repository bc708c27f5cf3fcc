//! The examples stand in the folders beside this one.
