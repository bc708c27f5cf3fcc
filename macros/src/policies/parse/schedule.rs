//! `spaced("1s").jittered().up_to(5)` and the other shapes of a schedule.

use proc_macro2::{Ident, TokenStream};
use syn::{Lit, LitInt, LitStr};

use super::{Chain, duration, once};
use crate::editor::Written;
use crate::error::{Errors, err};
use crate::literal;
use crate::options::{Given, Keys, Options};
use crate::suggest::unknown;

/// The shapes of a schedule.
pub(super) const SHAPES: [&str; 5] = ["recurs", "spaced", "fixed", "exponential", "fibonacci"];

const EXPLAINED: &[(&str, &str)] = &[
    ("retries", "a schedule is bounded behind its shape; write `.up_to(5)`"),
    ("times", "a schedule is bounded behind its shape; write `.up_to(5)`"),
    ("jitter", "a schedule is jittered behind its shape; write `.jittered()`, or `.jittered(full)`"),
    ("max", "the longest delay is written `cap = \"…\"`"),
    ("factor", "the delays grow as the shape says, up to the cap; leave `factor` out"),
];

const EXPONENTIAL: Keys =
    Keys { owner: "exponential(…)", known: &["base", "cap"], example: "base = \"100ms\"", explained: EXPLAINED };

const FIBONACCI: Keys =
    Keys { owner: "fibonacci(…)", known: &["base", "cap"], example: "base = \"100ms\"", explained: EXPLAINED };

/// A schedule, as written.
pub(crate) struct Schedule {
    pub(crate) written: Vec<Written>,
    pub(crate) shape: Shape,
    /// `.jittered(…)`, with its word where there is one.
    pub(crate) jittered: Option<(Ident, Option<Ident>)>,
    /// `.up_to(5)`
    pub(crate) times: Option<LitInt>,
    /// `.up_to("5m")`
    pub(crate) limit: Option<LitStr>,
    /// Something of it could not be read, and that is reported already.
    pub(crate) is_broken: bool,
}

/// The shape, as written.
pub(crate) enum Shape {
    Recurs(Given<LitInt>),
    Spaced(Given<LitStr>),
    Fixed(Given<LitStr>),
    Exponential {
        base: Given<LitStr>,
        cap: Given<LitStr>,
    },
    Fibonacci {
        base: Given<LitStr>,
        cap: Given<LitStr>,
    },
    /// It is none, and that is reported already.
    Wrong,
}

impl Schedule {
    /// All of it is wrong, and that is reported already.
    pub(super) const WRONG: Self =
        Self { written: Vec::new(), shape: Shape::Wrong, jittered: None, times: None, limit: None, is_broken: true };

    pub(super) fn parse(
        word: &Ident,
        arguments: TokenStream,
        chain: Chain,
        is_broken: bool,
        errors: &mut Errors,
    ) -> Self {
        let mut own = Errors::default();
        let mut written = Vec::new();
        let shape = Shape::parse(word, arguments, &mut written, &mut own);
        let mut schedule = Self { written, shape, ..Self::WRONG };
        for (word, list) in chain {
            schedule.link(&word, &list, &mut own);
        }
        schedule.is_broken = is_broken || !own.is_empty();
        errors.append(own);
        schedule
    }

    /// One word of the chain.
    fn link(&mut self, word: &Ident, list: &TokenStream, errors: &mut Errors) {
        match word.to_string().as_str() {
            "jittered" if list.is_empty() => once(&mut self.jittered, word, (word.clone(), None), errors),
            "jittered" => match syn::parse2::<Ident>(list.clone()) {
                Ok(how) => once(&mut self.jittered, word, (word.clone(), Some(how)), errors),
                Err(_) => {
                    errors.push(err!(list, "`.jittered(…)` takes a word or nothing, for example `.jittered(full)`"));
                }
            },
            "up_to" if errors.take(literal::bounded(list, "`.up_to(…)`")).is_none() => {}
            "up_to" => match syn::parse2::<Lit>(list.clone()) {
                Ok(Lit::Int(times)) => bound(&mut self.times, "number of runs", times, errors),
                Ok(Lit::Str(limit)) => bound(&mut self.limit, "time", limit, errors),
                _ if list.is_empty() => errors.push(err!(
                    word,
                    "`.up_to(…)` takes a number of times or a duration, for example `.up_to(5)` or `.up_to(\"5m\")`"
                )),
                _ => errors.push(err!(
                    list,
                    "`.up_to(…)` takes a number of times or a duration, for example `.up_to(5)` or `.up_to(\"5m\")`"
                )),
            },
            "on" | "gate" | "budget" | "on_retry" => errors.push(err!(
                word,
                "`.{word}(…)` is a word of retry policies; remove it, or declare a policy, for example \
                 `pub policy provider = capped(…).{word}(…);`"
            )),
            _ => errors.push(unknown(word, "word", &["jittered", "up_to"])),
        }
    }
}

fn bound<T: quote::ToTokens>(place: &mut Option<T>, what: &str, literal: T, errors: &mut Errors) {
    if place.is_some() {
        errors.push(err!(
            &literal,
            "`.up_to(…)` bounds the {what} twice; keep one of them (a number of times and a duration may stand together)"
        ));
    } else {
        *place = Some(literal);
    }
}

impl Shape {
    fn parse(word: &Ident, arguments: TokenStream, written: &mut Vec<Written>, errors: &mut Errors) -> Self {
        match word.to_string().as_str() {
            "recurs" => Self::Recurs(only(word, arguments, "a number of times", "recurs(3)", errors)),
            "spaced" => Self::Spaced(only(word, arguments, "a duration", "spaced(\"1s\")", errors)),
            "fixed" => Self::Fixed(only(word, arguments, "a duration", "fixed(\"1s\")", errors)),
            "exponential" => {
                let (base, cap) = gaps(arguments, &EXPONENTIAL, written, errors);
                Self::Exponential { base, cap }
            }
            _ => {
                let (base, cap) = gaps(arguments, &FIBONACCI, written, errors);
                Self::Fibonacci { base, cap }
            }
        }
    }
}

/// The one literal of a shape.
fn only<T: syn::parse::Parse>(
    word: &Ident,
    arguments: TokenStream,
    what: &str,
    example: &str,
    errors: &mut Errors,
) -> Given<T> {
    if let Err(long) = literal::bounded(&arguments, &format!("`{word}`")) {
        errors.push(long);
        return Given::Wrong;
    }
    let error = if arguments.is_empty() {
        err!(word, "`{word}` takes {what}, for example `{example}`")
    } else {
        err!(&arguments, "`{word}` takes {what}, for example `{example}`")
    };
    syn::parse2(arguments).map_or_else(
        |_| {
            errors.push(error);
            Given::Wrong
        },
        Given::Value,
    )
}

fn gaps(
    arguments: TokenStream,
    keys: &Keys,
    written: &mut Vec<Written>,
    errors: &mut Errors,
) -> (Given<LitStr>, Given<LitStr>) {
    let mut options = Options::parse(arguments, keys, errors);
    written.push(options.written("Growing"));
    let base = duration(&mut options, "base", "base = \"100ms\"", errors);
    (base, duration(&mut options, "cap", "cap = \"10s\"", errors))
}
