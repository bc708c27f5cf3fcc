//! What strikes.

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    Killed,
    Stopped,
    StoppedBriefly,
    ClaimCutBefore,
    ClaimSwallowed,
    ClaimCutAfter,
    ClaimStalled,
    ServerStopped,
    ServerKilled,
    Deployed,
    ClockAhead,
    ClockBehind,
    ClockDaysAhead,
    ClockWithin,
}

impl Fault {
    /// How likely each is drawn.
    pub(super) const DRAWN: [(u32, Self); 14] = [
        (4, Self::Killed),
        (4, Self::Stopped),
        (2, Self::StoppedBriefly),
        (2, Self::ClaimCutBefore),
        (3, Self::ClaimSwallowed),
        (1, Self::ClaimCutAfter),
        (1, Self::ClaimStalled),
        (2, Self::ServerStopped),
        (2, Self::ServerKilled),
        (3, Self::Deployed),
        (2, Self::ClockAhead),
        (2, Self::ClockBehind),
        (1, Self::ClockDaysAhead),
        (1, Self::ClockWithin),
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Killed => "SIGKILL",
            Self::Stopped => "SIGSTOP past the lease, SIGCONT",
            Self::StoppedBriefly => "SIGSTOP for half a minute, SIGCONT",
            Self::ClaimCutBefore => "connection cut before a claim arrives",
            Self::ClaimSwallowed => "connection cut before a claim is answered",
            Self::ClaimCutAfter => "connection cut after a claim is answered",
            Self::ClaimStalled => "claim that is never answered",
            Self::ServerStopped => "server stopped and started",
            Self::ServerKilled => "server killed and started",
            Self::Deployed => "rolling deploy, shorter or longer timeouts",
            Self::ClockAhead => "wall clock seven minutes ahead",
            Self::ClockBehind => "wall clock seven minutes behind",
            Self::ClockDaysAhead => "wall clock ten days ahead",
            Self::ClockWithin => "wall clock twenty seconds off",
        }
    }

    /// May a slot be lost by it? A claim that is cut off is asked again, and a clock that is a little off is accepted.
    pub(super) const fn costs_slots(self) -> bool {
        !matches!(self, Self::ClaimCutBefore | Self::ClaimSwallowed | Self::ClaimCutAfter | Self::ClockWithin)
    }

    /// Is it in wait for the next claim?
    pub(super) const fn cuts_claims(self) -> bool {
        matches!(self, Self::ClaimCutBefore | Self::ClaimSwallowed | Self::ClaimCutAfter | Self::ClaimStalled)
    }

    /// Does it keep everybody from asking?
    pub(super) const fn takes_the_server(self) -> bool {
        matches!(self, Self::ServerStopped | Self::ServerKilled)
    }
}

/// A fault that struck, in milliseconds of the database's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Struck {
    pub(super) fault: Fault,
    /// `None`: everybody.
    pub(super) replica: Option<i32>,
    pub(super) from: i64,
    /// When it was over.
    pub(super) until: i64,
    /// How often it was met.
    pub(super) times: usize,
}

impl Struck {
    /// It begins now.
    pub(super) fn since(from: i64, fault: Fault, replica: Option<i32>) -> Self {
        Self { fault, replica, from, until: i64::MAX - 10_000_000, times: 1 }
    }

    pub(super) fn strikes(&self, replica: i32) -> bool {
        self.replica.is_none_or(|struck| struck == replica)
    }

    /// Is a process stopped by it that goes on later?
    pub(super) fn pauses(&self, replica: i32) -> bool {
        matches!(self.fault, Fault::Stopped | Fault::StoppedBriefly) && self.replica == Some(replica)
    }
}
