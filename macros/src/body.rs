//! What can be read off the tokens of a body: direct calls only, no types.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

/// Crates that retry by themselves.
const RETRY_CRATES: [&str; 5] = ["backon", "tokio_retry", "tokio_retry2", "backoff", "tryhard"];
const SPAWNS: [&str; 3] = ["spawn", "spawn_local", "spawn_blocking"];
/// Types whose `now` is the wall clock.
const CLOCKS: [&str; 7] = ["SystemTime", "Utc", "Local", "Zoned", "Timestamp", "OffsetDateTime", "UtcDateTime"];

/// Something that some bodies may not contain, at the token that shows it.
pub(crate) enum Found {
    /// `.retry(…)`, `.retry_or_else(…)`, or a path into a crate that retries.
    Retry(Ident),
    /// A sleep inside of a loop.
    SleepInLoop(Ident),
    /// A task that leaves the body.
    Spawn(Ident),
    /// A read of the wall clock: the type, and the function.
    Clock(Ident, Ident),
    /// `.begin(…)` or `.acquire(…)`.
    Begin(Ident),
    /// `policies! { … }`.
    Policies(Ident),
}

/// All findings, in the order of the source.
pub(crate) fn scan(body: TokenStream) -> Vec<Found> {
    let mut found = Vec::new();
    walk(body, Within::default(), &mut found);
    found
}

/// What the tokens stand in.
#[derive(Clone, Copy, Default)]
struct Within {
    a_loop: bool,
    /// The arguments of a `.retry(…)` that is reported already.
    a_retry: bool,
}

fn walk(stream: TokenStream, within: Within, found: &mut Vec<Found>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let loops = loop_bodies(&tokens);
    let mut retried = None;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let a_loop = within.a_loop || loops.contains(&at);
                let a_retry = within.a_retry || retried == Some(at);
                walk(group.stream(), Within { a_loop, a_retry }, found);
            }
            TokenTree::Ident(word) => match look(&Around { tokens: &tokens, at }, word, within.a_loop) {
                Some(Found::Retry(word)) => {
                    retried = Some(at + 1);
                    if !within.a_retry {
                        found.push(Found::Retry(word));
                    }
                }
                other => found.extend(other),
            },
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

fn look(around: &Around<'_>, word: &Ident, in_loop: bool) -> Option<Found> {
    let name = word.to_string();
    let name = name.as_str();
    if around.is_definition() {
        return None;
    }
    match name {
        "retry" | "retry_or_else" if around.is_method_call() => Some(Found::Retry(word.clone())),
        "begin" | "begin_with" | "acquire" if around.is_method_call() => Some(Found::Begin(word.clone())),
        "sleep" | "sleep_until" if in_loop && around.is_call() => Some(Found::SleepInLoop(word.clone())),
        // `Retry::spawn(…)` is how two of the crates are called; it is no task.
        "Retry" | "RetryIf" if around.is_spawn_path() && !around.is_within_path() => Some(Found::Retry(word.clone())),
        "spawn" if around.follows_retry() => None,
        "JoinSet" if around.is_path_start() => Some(Found::Spawn(word.clone())),
        "policies" if around.punct(1, '!') => Some(Found::Policies(word.clone())),
        _ if SPAWNS.contains(&name) && around.is_call() => Some(Found::Spawn(word.clone())),
        _ if RETRY_CRATES.contains(&name) && around.is_path_start() && !around.is_within_path() => {
            Some(Found::Retry(word.clone()))
        }
        _ if CLOCKS.contains(&name) && around.is_path_start() => match around.token(3) {
            Some(TokenTree::Ident(now)) if ["now", "now_utc", "now_local"].iter().any(|name| now == name) => {
                Some(Found::Clock(word.clone(), now.clone()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A token with its neighbours.
struct Around<'a> {
    tokens: &'a [TokenTree],
    at: usize,
}

impl Around<'_> {
    fn token(&self, ahead: usize) -> Option<&TokenTree> {
        self.tokens.get(self.at + ahead)
    }

    fn punct(&self, ahead: usize, sign: char) -> bool {
        matches!(self.token(ahead), Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
    }

    fn before(&self, back: usize) -> Option<&TokenTree> {
        self.at.checked_sub(back).and_then(|at| self.tokens.get(at))
    }

    fn punct_before(&self, back: usize, sign: char) -> bool {
        matches!(self.before(back), Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
    }

    /// `word::…`
    fn is_path_start(&self) -> bool {
        self.punct(1, ':') && self.punct(2, ':')
    }

    /// `module::word`: then `word` is a module of the user's own, not a crate.
    fn is_within_path(&self) -> bool {
        self.punct_before(1, ':') && self.punct_before(2, ':') && matches!(self.before(3), Some(TokenTree::Ident(_)))
    }

    /// `word(…)` or `word::<…>(…)`
    fn is_call(&self) -> bool {
        matches!(self.token(1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
            || (self.is_path_start() && self.punct(3, '<'))
    }

    fn is_method_call(&self) -> bool {
        self.punct_before(1, '.') && self.is_call()
    }

    /// `word::spawn`
    fn is_spawn_path(&self) -> bool {
        self.is_path_start() && matches!(self.token(3), Some(TokenTree::Ident(next)) if next == "spawn")
    }

    /// `Retry::word`
    fn follows_retry(&self) -> bool {
        self.is_within_path()
            && matches!(self.before(3), Some(TokenTree::Ident(name)) if name == "Retry" || name == "RetryIf")
    }

    /// `fn word(…)`
    fn is_definition(&self) -> bool {
        matches!(self.before(1), Some(TokenTree::Ident(keyword)) if keyword == "fn")
    }
}

/// Where the bodies of the loops stand among these tokens.
fn loop_bodies(tokens: &[TokenTree]) -> Vec<usize> {
    let mut bodies = Vec::new();
    for (start, token) in tokens.iter().enumerate() {
        let TokenTree::Ident(keyword) = token else { continue };
        if !["loop", "while", "for"].iter().any(|word| keyword == word) {
            continue;
        }
        let brace =
            |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        let is_pattern = |at: usize| match tokens.get(at + 1) {
            // `while let Row { id } = …` and `for Row { id } in …`
            Some(TokenTree::Punct(sign)) => sign.as_char() == '=',
            Some(TokenTree::Ident(word)) => word == "in",
            _ => false,
        };
        let mut rest = tokens.iter().enumerate().skip(start + 1);
        let Some((body, _)) = rest.find(|(at, token)| brace(token) && !is_pattern(*at)) else { continue };
        // `impl Trait for Type { … }` and `for<'a>` are no loops.
        let has_in = tokens[start..body].iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "in"));
        if keyword != "for" || has_in {
            bodies.push(body);
        }
    }
    bodies
}
