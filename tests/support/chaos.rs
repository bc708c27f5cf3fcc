//! What a supervisor says to the replicas that it starts (`tests/chaos`), and what they answer (`tests/bin/chaos_replica`).

use std::{str::FromStr, time::Duration};

use crate::sped_up::SpedUp;

/// The variable with the address of the database, by way of the replica's proxy.
pub const DATABASE: &str = "CHAOS_DATABASE";
/// The variable with the schema in it.
pub const SCHEMA: &str = "CHAOS_SCHEMA";

/// Which release of the application a replica is. They differ in the timeouts of their jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Three minutes for the short jobs.
    Long,
    /// The same, one minute.
    Short,
    /// Fourteen minutes, for a run that is to be alive for long.
    Patient,
}

/// A protection that is taken away, for a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// Clocks that differ from the database's are accepted.
    ClockGuard,
    /// A lease is judged by the length of the reader's lease, not by its own.
    OwnLength,
    /// A slot that is taken may be taken again.
    TakenSlot,
    /// The same run that asks again is refused.
    SameRun,
    /// A release ends whatever lease there is.
    GuardedRelease,
    /// A renewal prolongs nothing.
    Renewal,
    /// A slot is released and not handed back.
    HandBack,
    /// The units of a run ask nothing of its lease.
    Fence,
}

/// Everything that a replica is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Who it is.
    pub number: i32,
    /// Its release.
    pub version: Version,
    /// The clock of all.
    pub clock: SpedUp,
    /// How long `chaos.plain` is at work.
    pub plain: Duration,
    /// How long a release is on its way.
    pub released_after: Duration,
    /// How long `chaos.fenced` waits before its unit.
    pub fenced: Duration,
    /// How long `chaos.handed` waits before its unit.
    pub handed: Duration,
    /// How long `chaos.heartbeat` is at work.
    pub heartbeat: Duration,
    /// What it lacks.
    pub removed: Option<Removed>,
}

impl Settings {
    /// A replica of the first release with short work.
    #[must_use]
    pub fn new(number: i32, clock: SpedUp) -> Self {
        Self {
            number,
            version: Version::Long,
            clock,
            plain: Duration::from_secs(15),
            released_after: Duration::ZERO,
            fenced: Duration::from_secs(10),
            handed: Duration::from_mins(2),
            heartbeat: Duration::from_mins(4),
            removed: None,
        }
    }

    /// As words of a command line.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let seconds = |duration: Duration| duration.as_secs().to_string();
        vec![
            self.number.to_string(),
            self.version.to_string(),
            self.clock.origin.to_string(),
            self.clock.speed.to_string(),
            seconds(self.plain),
            seconds(self.released_after),
            seconds(self.fenced),
            seconds(self.handed),
            seconds(self.heartbeat),
            self.removed.map_or_else(|| NOTHING.to_owned(), |removed| removed.to_string()),
        ]
    }

    /// From the words of a command line; `None` when they are not those of [`words`](Self::words).
    pub fn from_words(words: impl IntoIterator<Item = String>) -> Option<Self> {
        let mut words = words.into_iter();
        let settings = Self {
            number: next(&mut words)?,
            version: next(&mut words)?,
            clock: SpedUp { origin: next(&mut words)?, speed: next(&mut words)? },
            plain: Duration::from_secs(next(&mut words)?),
            released_after: Duration::from_secs(next(&mut words)?),
            fenced: Duration::from_secs(next(&mut words)?),
            handed: Duration::from_secs(next(&mut words)?),
            heartbeat: Duration::from_secs(next(&mut words)?),
            removed: match words.next()?.as_str() {
                NOTHING => None,
                removed => Some(removed.parse().ok()?),
            },
        };
        words.next().is_none().then_some(settings)
    }
}

const NOTHING: &str = "nothing";

fn next<T: FromStr>(words: &mut impl Iterator<Item = String>) -> Option<T> {
    words.next()?.parse().ok()
}

/// Names for the words of an enum, both ways.
macro_rules! named {
    ($type:ident: $($variant:ident = $name:literal),+) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$variant => $name),+ })
            }
        }

        impl FromStr for $type {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, ()> {
                match text { $($name => Ok(Self::$variant),)+ _ => Err(()) }
            }
        }
    };
}

named!(Version: Long = "long", Short = "short", Patient = "patient");
named!(Removed: ClockGuard = "clock-guard", OwnLength = "own-length", TakenSlot = "taken-slot", SameRun = "same-run",
    GuardedRelease = "guarded-release", Renewal = "renewal", HandBack = "hand-back", Fence = "fence");

/// A line that a replica writes to its standard output. It survives the replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What it tells.
    pub what: Event,
    /// Of which job.
    pub job: String,
    /// And slot, in milliseconds since the epoch.
    pub slot: i64,
    /// And run.
    pub run: String,
}

/// What is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The run is about to claim.
    Asks,
    /// It has the slot.
    Won,
    /// The slot was taken.
    TakenBy,
    /// The lease is held.
    HeldBy,
    /// The clock is off.
    Skewed,
    /// The store could not say.
    Unanswered,
    /// Its unit was committed.
    Applied,
    /// Its unit was not committed: the lease was lost.
    Fenced,
    /// Its unit was not committed, or nobody knows.
    Failed,
    /// Its claim or its work took a quarter of a minute longer than it does.
    Slow,
}

named!(Event: Asks = "asks", Won = "won", TakenBy = "taken", HeldBy = "held", Skewed = "skewed", Unanswered = "unanswered",
    Applied = "applied", Fenced = "fenced", Failed = "failed", Slow = "slow");

impl Event {
    /// Whether a claim ends with it.
    #[must_use]
    pub const fn is_answer(self) -> bool {
        matches!(self, Self::Won | Self::TakenBy | Self::HeldBy | Self::Skewed | Self::Unanswered)
    }
}

impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { what, job, slot, run } = self;
        write!(f, "{what} {job} {slot} {run}")
    }
}

impl FromStr for Told {
    type Err = ();

    fn from_str(line: &str) -> Result<Self, ()> {
        let [what, job, slot, run] = line.split(' ').collect::<Vec<_>>()[..] else { return Err(()) };
        let slot = slot.parse().map_err(drop)?;
        Ok(Self { what: what.parse()?, job: job.to_owned(), slot, run: run.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Removed, Settings, SpedUp, Told};

    #[test]
    fn what_is_said_is_understood() {
        let clock = SpedUp { origin: 1_767_322_800_000, speed: 150 };
        for removed in [None, Some(Removed::Fence), Some(Removed::OwnLength)] {
            let said =
                Settings { removed, released_after: std::time::Duration::from_secs(5), ..Settings::new(3, clock) };
            assert_eq!(Settings::from_words(said.words()), Some(said));
        }
        assert_eq!(Settings::from_words(["1".to_owned()]), None);
        let told = Told { what: Event::TakenBy, job: "chaos.plain".into(), slot: 60_000, run: "r".into() };
        assert_eq!(told.to_string().parse(), Ok(told));
        assert_eq!("asks chaos.plain soon r".parse::<Told>(), Err(()));
    }
}
