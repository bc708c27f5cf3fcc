//! A schedule whose delays are capped, and that says whether it ends.

use std::time::Duration;

use proc_macro2::Ident;
use syn::{LitInt, LitStr};

use super::{Words, gaps};
use crate::duration;
use crate::error::{Errors, bail, err};
use crate::options::Given;
use crate::policies::parse::{Schedule as Written, ScheduleShape as WrittenShape};
use crate::suggest::{one_of, unknown};

const JITTERS: [(&str, &str); 3] = [("full", "Full"), ("equal", "Equal"), ("proportional", "Proportional")];

const WORDS: Words = Words {
    missing: "delays that grow have a first one and a longest one",
    zero: "which paces nothing",
    examples: ["base = \"100ms\"", "cap = \"10s\""],
};

/// Twice a minute for a year; what goes on for longer has no end that anybody would see.
const MAX_TIMES: u32 = 1_000_000;

pub(crate) struct Schedule {
    pub(crate) shape: Shape,
    /// The word and the runtime's name for it.
    pub(crate) jitter: Option<(&'static str, &'static str)>,
    /// Recurrences after the first run.
    pub(crate) times: Option<u32>,
    /// The time since the first run began in which a run may begin.
    pub(crate) limit: Option<Duration>,
}

#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Recurs,
    Spaced(Duration),
    Fixed(Duration),
    Exponential { base: Duration, cap: Duration },
    Fibonacci { base: Duration, cap: Duration },
}

impl Schedule {
    pub(crate) fn ends(&self) -> bool {
        self.times.is_some() || self.limit.is_some()
    }

    pub(super) fn new(name: &Ident, written: &Written, errors: &mut Errors) -> Self {
        let times = written.times.as_ref().map(|literal| (literal, errors.take(times(literal, "up_to"))));
        let limit =
            written.limit.as_ref().map(|literal| (literal, errors.take(span(literal, "up_to", ".up_to(\"5m\")"))));
        let jitter = written.jittered.as_ref().map(|(word, how)| {
            if let WrittenShape::Recurs(_) = written.shape {
                errors.push(err!(
                    word,
                    "`recurs` waits nothing, so there is nothing to jitter; remove `.jittered()`, or wait, for example \
                     `spaced(\"1s\").jittered().up_to(3)`"
                ));
            }
            how.as_ref().and_then(|how| errors.take(jitter(how))).unwrap_or(JITTERS[2])
        });
        let mut schedule = Self {
            shape: Shape::new(name, &written.shape, errors),
            jitter,
            // A bound with a mistake in it is one all the same.
            times: times.map(|(_, times)| times.unwrap_or(1)),
            limit: limit.map(|(_, limit)| limit.unwrap_or(Duration::from_hours(1))),
        };
        match &written.shape {
            WrittenShape::Recurs(given) => {
                if let Some((literal, _)) = times {
                    errors.push(err!(
                        literal,
                        "`recurs` has its number already; remove `.up_to({literal})`, or write `recurs({literal})`"
                    ));
                }
                let count = match given {
                    Given::Value(literal) => errors.take(self::times(literal, "recurs")),
                    Given::Missing | Given::Wrong => None,
                };
                schedule.times = Some(count.unwrap_or(1));
            }
            // A bound or a jitter may be what could not be read: what names the schedule adds no second mistake.
            _ if written.is_broken => {
                schedule.times = schedule.times.or(Some(1));
                schedule.jitter = schedule.jitter.or(Some(JITTERS[2]));
            }
            _ => {}
        }
        if let (Some((literal, Some(limit))), Some(first)) = (limit, schedule.shape.first())
            && limit < first
        {
            let (limit, first) = (duration::display(limit), duration::display(first));
            errors.push(err!(
                literal,
                "`up_to` is {limit}, shorter than the first delay, which is {first}: nothing would recur; write a longer time, for \
                 example `.up_to(\"5m\")`"
            ));
        }
        schedule
    }
}

impl Shape {
    fn new(name: &Ident, written: &WrittenShape, errors: &mut Errors) -> Self {
        match written {
            WrittenShape::Recurs(_) | WrittenShape::Wrong => Self::Recurs,
            WrittenShape::Spaced(delay) => Self::Spaced(one(delay, "spaced", "spaced(\"1s\")", errors)),
            WrittenShape::Fixed(delay) => Self::Fixed(one(delay, "fixed", "fixed(\"1s\")", errors)),
            WrittenShape::Exponential { base, cap } => {
                let (base, cap) = gaps(name, base, cap, &WORDS, errors);
                Self::Exponential { base, cap }
            }
            WrittenShape::Fibonacci { base, cap } => {
                let (base, cap) = gaps(name, base, cap, &WORDS, errors);
                Self::Fibonacci { base, cap }
            }
        }
    }

    /// The delay after the first run, before jitter.
    fn first(self) -> Option<Duration> {
        match self {
            Self::Recurs => None,
            Self::Spaced(first) | Self::Fixed(first) => Some(first),
            Self::Exponential { base, .. } | Self::Fibonacci { base, .. } => Some(base),
        }
    }
}

fn one(given: &Given<LitStr>, key: &str, example: &str, errors: &mut Errors) -> Duration {
    let delay = match given {
        Given::Value(literal) => errors.take(span(literal, key, example)),
        Given::Missing | Given::Wrong => None,
    };
    delay.unwrap_or(Duration::from_millis(1))
}

/// A time that is not zero.
fn span(literal: &LitStr, key: &str, example: &str) -> syn::Result<Duration> {
    let span = duration::parse(literal)?;
    if span.is_zero() {
        bail!(literal, "`{key}` is zero, which paces nothing; write at least `1ms`, for example `{example}`");
    }
    Ok(span)
}

fn times(literal: &LitInt, key: &str) -> syn::Result<u32> {
    match literal.base10_parse::<u32>() {
        Ok(0) => bail!(
            literal,
            "`{key}(0)` never recurs; call the work without a schedule, or run it again at least once, for example `{key}(3)`"
        ),
        Ok(times @ 1..=MAX_TIMES) => Ok(times),
        _ => bail!(literal, "`{key}` is at most {MAX_TIMES} times; write for example `{key}(3)`"),
    }
}

fn jitter(word: &Ident) -> syn::Result<(&'static str, &'static str)> {
    let names = JITTERS.map(|(name, _)| name);
    match word.to_string().as_str() {
        "none" => bail!(word, "a schedule is not jittered where it says nothing; remove `.jittered(none)`"),
        "decorrelated" => {
            bail!(word, "`decorrelated` is a jitter of policies, whose gaps grow by it; {}", one_of(&names))
        }
        _ => JITTERS.iter().find(|(name, _)| word == name).copied().ok_or_else(|| unknown(word, "jitter", &names)),
    }
}
