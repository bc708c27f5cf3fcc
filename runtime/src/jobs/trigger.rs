//! What made a run begin.

/// What made a run begin: the label `trigger` of its metric, the attribute of its span, the column of its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trigger {
    /// Its slot came.
    Timer,
    /// Its slot was missed and is run late: `catch_up`.
    CatchUp,
    /// Its slot was given back by another replica: `on_shutdown = hand_back`.
    TakenOver,
    /// Somebody outside named the time: [`Jobs::fire`](super::Jobs::fire).
    External,
    /// Somebody asked for it: [`Jobs::run_now`](super::Jobs::run_now).
    Manual,
}

impl Trigger {
    /// `timer`, `catch_up`, `taken_over`, `external` or `manual`.
    ///
    /// ```
    /// assert_eq!(steadfast::jobs::Trigger::CatchUp.as_str(), "catch_up");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Timer => "timer",
            Self::CatchUp => "catch_up",
            Self::TakenOver => "taken_over",
            Self::External => "external",
            Self::Manual => "manual",
        }
    }

    /// The same in the few words that OpenTelemetry has for it.
    pub(crate) const fn as_faas(self) -> &'static str {
        match self {
            Self::Timer | Self::CatchUp | Self::TakenOver => "timer",
            Self::External | Self::Manual => "other",
        }
    }
}
