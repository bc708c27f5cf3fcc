//! What happens to the replicas: drawn from the seed, and nothing but the seed.

use crate::random::Random;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// How far a clock that the store accepts may be off, in milliseconds: less than the 30 s, by what a question takes.
const ACCEPTED: i64 = 27 * SECOND;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Crash,
    Shutdown,
    Pause,
    Suspend,
    ClaimAnswerLost,
    ClaimLost,
    ReleaseAnswerLost,
    ReleaseLost,
    HandBackAnswerLost,
    RenewalAnswerLost,
    ClaimAnswerLate,
    ClaimLate,
    ReleaseLate,
    RenewalLate,
    StoreDown,
    StoreDownForAll,
    PowerCut,
    ClockStepsWithinTolerance,
    ClockStepsAhead,
    ClockStepsBehind,
    ClockStepsDaysAhead,
    ClockStepsDaysBehind,
}

#[cfg(test)]
impl Kind {
    pub(crate) const ALL: &[Self] = &[
        Self::Crash,
        Self::Shutdown,
        Self::Pause,
        Self::Suspend,
        Self::ClaimAnswerLost,
        Self::ClaimLost,
        Self::ReleaseAnswerLost,
        Self::ReleaseLost,
        Self::HandBackAnswerLost,
        Self::RenewalAnswerLost,
        Self::ClaimAnswerLate,
        Self::ClaimLate,
        Self::ReleaseLate,
        Self::RenewalLate,
        Self::StoreDown,
        Self::StoreDownForAll,
        Self::PowerCut,
        Self::ClockStepsWithinTolerance,
        Self::ClockStepsAhead,
        Self::ClockStepsBehind,
        Self::ClockStepsDaysAhead,
        Self::ClockStepsDaysBehind,
    ];
}

const KINDS: &[(u64, Kind)] = &[
    (14, Kind::Crash),
    (14, Kind::Shutdown),
    (12, Kind::Pause),
    (8, Kind::Suspend),
    (12, Kind::ClaimAnswerLost),
    (4, Kind::ClaimLost),
    (5, Kind::ReleaseAnswerLost),
    (4, Kind::ReleaseLost),
    (3, Kind::HandBackAnswerLost),
    (4, Kind::RenewalAnswerLost),
    (6, Kind::ClaimAnswerLate),
    (4, Kind::ClaimLate),
    (5, Kind::ReleaseLate),
    (3, Kind::RenewalLate),
    (8, Kind::StoreDown),
    (1, Kind::StoreDownForAll),
    (1, Kind::PowerCut),
    (8, Kind::ClockStepsWithinTolerance),
    (5, Kind::ClockStepsAhead),
    (5, Kind::ClockStepsBehind),
    (2, Kind::ClockStepsDaysAhead),
    (2, Kind::ClockStepsDaysBehind),
];

/// A fault of the next minute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub(crate) kind: Kind,
    /// After the start of the minute, in milliseconds.
    pub(crate) after: i64,
    /// How long it lasts, where it lasts, in milliseconds.
    pub(crate) lasts: i64,
}

/// The faults of one minute.
pub(crate) fn plan(random: &mut Random) -> Vec<Planned> {
    let faults = random.pick(&[(60, 0), (32, 1), (8, 2)]);
    (0..faults)
        .map(|_| {
            let kind = random.pick(KINDS);
            let (least, most) = match kind {
                Kind::Crash | Kind::PowerCut => (SECOND, 6 * MINUTE),
                // Longer than any drain.
                Kind::Shutdown => (35 * SECOND, 4 * MINUTE),
                // Past every lease there is.
                Kind::Pause | Kind::Suspend => (SECOND, 12 * MINUTE),
                Kind::ClaimAnswerLate | Kind::ClaimLate | Kind::ReleaseLate | Kind::RenewalLate => (SECOND, 8 * MINUTE),
                Kind::StoreDown | Kind::StoreDownForAll => (SECOND, 4 * MINUTE),
                Kind::ClockStepsAhead
                | Kind::ClockStepsBehind
                | Kind::ClockStepsDaysAhead
                | Kind::ClockStepsDaysBehind => (SECOND, 5 * MINUTE),
                _ => (0, 0),
            };
            Planned { kind, after: random.between(0, MINUTE - 1), lasts: random.between(least, most) }
        })
        .collect()
}

/// By how many milliseconds a clock that the store accepts is ahead of the true time.
pub(crate) fn accepted(random: &mut Random) -> i64 {
    if random.either() { random.between(-500, 500) } else { random.between(-ACCEPTED, ACCEPTED) }
}

/// By how many a clock is ahead after such a step.
pub(crate) fn stepped(kind: Kind, random: &mut Random) -> i64 {
    match kind {
        Kind::ClockStepsAhead => random.between(31 * SECOND, 10 * MINUTE),
        Kind::ClockStepsBehind => -random.between(31 * SECOND, 10 * MINUTE),
        // Further than a day: nearer ones mute a replica for hours, as they should, and say nothing more.
        Kind::ClockStepsDaysAhead => random.between(25 * HOUR, 240 * HOUR),
        Kind::ClockStepsDaysBehind => -random.between(25 * HOUR, 240 * HOUR),
        _ => accepted(random),
    }
}
