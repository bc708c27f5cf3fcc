//! One word and its neighbours: is it one of those?

use proc_macro2::{Ident, TokenTree};

use crate::around::{Around, is_word};
use crate::clocks;
use crate::found::Found;
use crate::words::{
    Follows, NOWS, RETRY_CRATES, RETRY_PATHS, SCHEDULE_CRATES, SLEEP_TYPES, SLEEPS, SPAWNS, TICKER_TYPES, TICKERS,
};

pub(crate) enum Seen {
    Nothing,
    Found(Found),
    /// `.tick().await` in a loop.
    Tick,
    /// `clock.now()`, a clock that is handed in and no finding by itself.
    ClockOfRun,
}

pub(crate) fn look(around: &Around<'_>, word: &Ident, name: &str, in_loop: bool) -> Seen {
    if around.is_definition() {
        return Seen::Nothing;
    }
    if around.punct_before(1, '.') { method(around, word, name, in_loop) } else { path(around, word, name, in_loop) }
}

fn method(around: &Around<'_>, word: &Ident, name: &str, in_loop: bool) -> Seen {
    let word = || word.clone();
    if !around.is_call() {
        return Seen::Nothing;
    }
    match name {
        // Without an argument there is no policy: it is a word of a domain.
        "retry" | "retry_or_else" if !around.is_bare_call() => Seen::Found(Found::Retry(word())),
        "begin" | "begin_with" | "acquire" => Seen::Found(Found::Begin(word())),
        "tick" if in_loop && is_awaited_tick(around) => Seen::Tick,
        _ if in_loop && SLEEPS.contains(&name) => Seen::Found(Found::SleepInLoop(word())),
        _ if SPAWNS.contains(&name) && !is_awaited(around, name) => Seen::Found(Found::Spawn(word())),
        _ if NOWS.contains(&name) && around.is_bare_call() => Seen::ClockOfRun,
        _ => Seen::Nothing,
    }
}

fn path(around: &Around<'_>, word: &Ident, name: &str, in_loop: bool) -> Seen {
    let word = || word.clone();
    if let Some(now) = clocks::read(around, name) {
        return Seen::Found(Found::Clock(word(), now.clone()));
    }
    let is_start = around.is_path_start();
    let is_root = is_start && !around.is_within_path();
    match name {
        // `Retry::spawn(…)` is how two of the crates are called; it is no task.
        "Retry" | "RetryIf" if around.is_followed_by(&["spawn"]) && is_root => Seen::Found(Found::Retry(word())),
        "spawn" if around.follows(&["Retry", "RetryIf"]) => Seen::Nothing,
        "JoinSet" if is_start => Seen::Found(Found::Spawn(word())),
        "JobScheduler" if around.is_followed_by(&["new"]) && is_root => Seen::Found(Found::Schedule(word())),
        "policies" if around.punct(1, '!') => Seen::Found(Found::Policies(word())),
        _ if SPAWNS.contains(&name) && around.is_call() && !is_awaited(around, name) => {
            Seen::Found(Found::Spawn(word()))
        }
        _ if is_root && RETRY_CRATES.contains(&name) => Seen::Found(Found::Retry(word())),
        _ if is_root && SCHEDULE_CRATES.contains(&name) => Seen::Found(Found::Schedule(word())),
        _ if is_root && is_retry_path(around, name) => Seen::Found(Found::Retry(word())),
        _ if in_loop && SLEEPS.contains(&name) && around.is_call() => Seen::Found(Found::SleepInLoop(word())),
        _ if in_loop && is_start && is_of(around, name, &SLEEP_TYPES) => Seen::Found(Found::SleepInLoop(word())),
        _ if TICKERS.contains(&name) && is_function(around) => Seen::Found(Found::Ticker(word())),
        _ if is_start && is_of(around, name, &TICKER_TYPES) => Seen::Found(Found::Ticker(word())),
        _ => Seen::Nothing,
    }
}

/// `spawn_blocking(…).await`: it ends within the body.
fn is_awaited(around: &Around<'_>, name: &str) -> bool {
    name == "spawn_blocking" && around.arguments().is_some() && around.punct(2, '.') && around.word(3, &["await"])
}

/// `Timer::after`
fn is_of(around: &Around<'_>, name: &str, types: &[(&str, &[&str])]) -> bool {
    types.iter().any(|(ty, functions)| *ty == name && around.is_followed_by(functions))
}

fn is_retry_path(around: &Around<'_>, name: &str) -> bool {
    RETRY_PATHS.iter().any(|(start, next, follows)| {
        *start == name && around.is_followed_by(next) && {
            let behind = Around { tokens: around.tokens, at: around.at + 3 };
            match follows {
                Follows::Anything => true,
                Follows::Call => behind.arguments().is_some(),
                Follows::Type => behind.is_path_start() && is_type(behind.token(3)),
            }
        }
    })
}

/// A word that begins in upper case, or braces with some.
fn is_type(token: Option<&TokenTree>) -> bool {
    match token {
        Some(TokenTree::Ident(word)) => word.to_string().starts_with(|first: char| first.is_ascii_uppercase()),
        Some(TokenTree::Group(group)) => group.stream().into_iter().any(|token| is_type(Some(&token))),
        _ => false,
    }
}

/// `interval(…)` or `time::interval(…)`; `Type::interval(…)` builds something else.
fn is_function(around: &Around<'_>) -> bool {
    around.arguments().is_some_and(|arguments| !arguments.stream().is_empty())
        && (!around.is_path_end() || !is_type(around.before(3)) && !around.punct_before(3, '>'))
}

/// `.tick().await`, and the arm `_ = x.tick() => …` of a `select!`.
fn is_awaited_tick(around: &Around<'_>) -> bool {
    let is_await = around.punct(2, '.') && is_word(around.token(3), &["await"]);
    let is_arm = around.punct(2, '=') && around.punct(3, '>');
    around.is_bare_call() && (is_await || is_arm)
}
