//! The walk over the tokens: what stands in what, and one finding for one mistake.

use proc_macro2::{Group, TokenStream, TokenTree};

use crate::around::{Around, is_brace, is_punct};
use crate::found::Found;
use crate::look::{Seen, look};
use crate::place::{Function, Level, Within};
use crate::words::SPAWNS;
use crate::{clocks, posts};

/// Deeper than anybody writes, and far from the end of a stack.
pub(crate) const DEEPEST: usize = 200;

/// All findings of a body, in the order of the source.
///
/// ```
/// use steadfast_lint::{Found, scan};
///
/// let found = scan("ping.retry(ExponentialBuilder::default()).await".parse()?);
/// assert!(matches!(&found[..], [Found::Retry(word)] if word == "retry"));
/// assert!(scan("order.retry = 3; sleep(once).await".parse()?).is_empty());
/// # Ok::<(), proc_macro2::LexError>(())
/// ```
#[must_use]
pub fn scan(body: TokenStream) -> Vec<Found> {
    Scan::new(|_, _| 0, Vec::new()).run(body).found
}

/// How many tokens from this one on are not to be judged.
type Skip = fn(&[TokenTree], usize) -> usize;

pub(crate) struct Scan {
    skip: Skip,
    /// Modules that the file declares: a path into one of them is not one into a crate of the same name.
    modules: Vec<String>,
    pub(crate) found: Vec<Found>,
    /// Something nests deeper than was looked at.
    pub(crate) too_deep: bool,
    function: Function,
}

impl Scan {
    pub(crate) fn new(skip: Skip, modules: Vec<String>) -> Self {
        Self { skip, modules, found: Vec::new(), too_deep: false, function: Function::default() }
    }

    pub(crate) fn run(mut self, body: TokenStream) -> Self {
        self.walk(body, Within::default());
        self.settle();
        self
    }

    fn walk(&mut self, stream: TokenStream, within: Within) {
        if within.depth > DEEPEST {
            self.too_deep = true;
            return;
        }
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut level = Level::default();
        let mut at = 0;
        while at < tokens.len() {
            let skipped = (self.skip)(&tokens, at);
            if skipped > 0 {
                at += skipped;
                continue;
            }
            match &tokens[at] {
                TokenTree::Group(group) => self.group(group, &Around { tokens: &tokens, at }, &mut level, within),
                TokenTree::Ident(_) => {
                    level.enter(&tokens, at);
                    self.word(&Around { tokens: &tokens, at }, &mut level, within);
                }
                TokenTree::Punct(_) if is_punct(tokens.get(at), ';') => level.function = false,
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            at += 1;
        }
    }

    fn group(&mut self, group: &Group, around: &Around<'_>, level: &mut Level, within: Within) {
        let at = around.at;
        if level.function && is_brace(around.token(0)) {
            level.function = false;
            let outer = std::mem::take(&mut self.function);
            self.walk(group.stream(), Within { depth: within.depth + 1, ..Within::default() });
            self.settle();
            self.function = outer;
            return;
        }
        let a_loop = level.loops.iter().find(|a_loop| a_loop.body == at).copied();
        let searched = within.searched || level.retried.contains(&at);
        let before = self.found.len();
        // A task that waits paces no loop that starts it and goes on.
        let goes_on = around.word_before(1, &SPAWNS) && !around.punct(1, '.');
        let inner = Within {
            depth: within.depth + 1,
            a_loop: (within.a_loop && !goes_on) || a_loop.is_some(),
            a_retry: within.a_retry || level.retry_arguments == Some(at),
            a_ticker: within.a_ticker || level.ticker_arguments == Some(at),
            a_cursor: within.a_cursor || at < level.cursor_end,
            searched,
        };
        self.walk(group.stream(), inner);
        if let Some(a_loop) = a_loop.filter(|a_loop| a_loop.repeats && !searched) {
            self.search_loop(&around.tokens[a_loop.start..=at], before);
        }
    }

    /// Looks for requests in a loop that sleeps, its condition included.
    fn search_loop(&mut self, tokens: &[TokenTree], before: usize) {
        let inside = &self.found[before..];
        let sleeps = inside.iter().any(|found| matches!(found, Found::SleepInLoop(_)));
        if sleeps && !inside.iter().any(|found| matches!(found, Found::Post(_))) {
            let region: TokenStream = tokens.iter().cloned().collect();
            self.found.extend(posts::unkeyed(&region).map(Found::Post));
        }
    }

    fn word(&mut self, around: &Around<'_>, level: &mut Level, within: Within) {
        let TokenTree::Ident(word) = &around.tokens[around.at] else { return };
        let name = word.to_string();
        if around.is_path_start() && self.modules.contains(&name) {
            return;
        }
        if let Some(end) = clocks::moved(around, &name, &self.function.clocks) {
            if !within.a_cursor && around.at >= level.cursor_end {
                self.found.push(Found::LastRun(word.clone()));
            }
            level.cursor_end = end;
            return;
        }
        match look(around, word, &name, within.a_loop) {
            Seen::Nothing => {}
            Seen::Found(Found::Retry(word)) => {
                level.retry_arguments = Some(around.at + 1);
                if !within.a_retry {
                    self.found.push(Found::Retry(word));
                    self.search(around, level, within);
                }
            }
            Seen::Found(Found::Ticker(word)) => {
                level.ticker_arguments = Some(around.at + if around.is_call() { 1 } else { 4 });
                self.function.makes_ticker = true;
                if !within.a_ticker {
                    self.found.push(Found::Ticker(word));
                }
            }
            Seen::Found(Found::Clock(clock, now)) => {
                self.function.clocks.extend(clocks::bound_to(around));
                if !within.a_cursor && around.at >= level.cursor_end {
                    self.found.push(Found::Clock(clock, now));
                }
            }
            Seen::Found(found) => self.found.push(found),
            Seen::Tick => {
                self.function.ticks.push(self.found.len());
                self.found.push(Found::Ticker(word.clone()));
            }
            Seen::ClockOfRun => self.function.clocks.extend(clocks::bound_to(around)),
        }
    }

    /// Looks for requests in what is retried here.
    fn search(&mut self, around: &Around<'_>, level: &mut Level, within: Within) {
        if within.searched {
            return;
        }
        for group in posts::retried(around) {
            self.found.extend(posts::unkeyed(&group.stream()).map(Found::Post));
        }
        let arguments =
            (around.at + 1..around.tokens.len()).find(|at| matches!(around.tokens[*at], TokenTree::Group(_)));
        level.retried.extend(arguments);
    }

    /// At the end of a function: a ticker is one finding, not one more for each of its ticks.
    fn settle(&mut self) {
        let Function { ticks, makes_ticker, .. } = std::mem::take(&mut self.function);
        if makes_ticker {
            // From the last on, so that the places before it stay what they are.
            for at in ticks.into_iter().rev() {
                self.found.remove(at);
            }
        }
    }
}
