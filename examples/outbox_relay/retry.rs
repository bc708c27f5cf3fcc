//! The one home of this application's retry policies and schedules.

pub use steadfast::policy::contention;

steadfast::policies! {
    /// When an event that could not be delivered is tried again. Its count stands in the row, so a restart forgets nothing.
    pub policy relay = durable(base = "200ms", cap = "2s", attempts = 5);
    /// How often the relay looks for events that are due.
    pub schedule tick = spaced("100ms").jittered();
}
