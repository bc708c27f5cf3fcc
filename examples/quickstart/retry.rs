//! The one home of this application's retry policies.

steadfast::policies! {
    /// Many units want the same row at once, and each of them is short.
    pub policy hot_row = capped(base = "20ms", cap = "200ms", retries = 10).on(contention);
}
