//! Tokens, changed at random.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::Random;

/// What parsers of attributes stumble over.
const PIECES: [&str; 24] = [
    "r#type",
    "'a",
    "\"\"",
    "\"5m\"",
    "b\"x\"",
    "c\"x\"",
    "'\\u{1F600}'",
    "_",
    "0",
    "-1",
    "99999999999999999999999",
    "1.5e3",
    "crate",
    "self",
    "::",
    "=>",
    "..",
    "#",
    "$",
    "&mut",
    "é",
    "async",
    "fn f",
    "impl<'a> X for Y",
];

/// One change at a random place of a random depth; what is spliced in comes from `others`.
pub(crate) fn mutated(stream: TokenStream, others: &[TokenStream], random: &mut Random) -> TokenStream {
    let mut tokens: Vec<TokenTree> = stream.into_iter().collect();
    let groups: Vec<usize> = (0..tokens.len()).filter(|at| matches!(tokens[*at], TokenTree::Group(_))).collect();
    // Two of three times deeper, if there is a deeper: most tokens are.
    if !groups.is_empty() && random.below(3) != 0 {
        let at = *random.of(&groups);
        if let TokenTree::Group(group) = &tokens[at] {
            let inner = mutated(group.stream(), others, random);
            tokens[at] = TokenTree::Group(regrouped(group, group.delimiter(), inner));
        }
        return tokens.into_iter().collect();
    }
    change(&mut tokens, others, random);
    tokens.into_iter().collect()
}

fn change(tokens: &mut Vec<TokenTree>, others: &[TokenStream], random: &mut Random) {
    if tokens.is_empty() {
        return tokens.extend(piece(others, random));
    }
    let (at, other) = (random.below(tokens.len()), random.below(tokens.len()));
    match random.below(8) {
        0 => drop(tokens.remove(at)),
        1 => tokens.truncate(at),
        2 => tokens.insert(other, tokens[at].clone()),
        3 => tokens.swap(at, other),
        4 => drop(tokens.splice(at..=at, piece(others, random))),
        5 => drop(tokens.splice(at..at, piece(others, random))),
        6 => drop(tokens.splice(at.min(other)..=at.max(other), piece(others, random))),
        _ => match &tokens[at] {
            // `None` is what `macro_rules!` wraps its fragments in.
            TokenTree::Group(group) => {
                let delimiters = [Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket, Delimiter::None];
                tokens[at] = TokenTree::Group(regrouped(group, *random.of(&delimiters), group.stream()));
            }
            token => {
                let wrapped = Group::new(Delimiter::None, token.clone().into());
                tokens[at] = TokenTree::Group(wrapped);
            }
        },
    }
}

fn regrouped(group: &Group, delimiter: Delimiter, stream: TokenStream) -> Group {
    let mut regrouped = Group::new(delimiter, stream);
    regrouped.set_span(group.span());
    regrouped
}

/// Some tokens in a row: out of another example, from any depth, or of the odd ones.
fn piece(others: &[TokenStream], random: &mut Random) -> Vec<TokenTree> {
    if others.is_empty() || random.below(3) == 0 {
        let piece: TokenStream = random.of(&PIECES).parse().expect("tokens");
        return piece.into_iter().collect();
    }
    let mut level: Vec<TokenTree> = random.of(others).clone().into_iter().collect();
    loop {
        let groups: Vec<&Group> = level
            .iter()
            .filter_map(|token| if let TokenTree::Group(group) = token { Some(group) } else { None })
            .collect();
        if groups.is_empty() || random.below(3) == 0 {
            break;
        }
        level = random.of(&groups).stream().into_iter().collect();
    }
    let from = random.below(level.len() + 1);
    let many = random.below(6);
    level.into_iter().skip(from).take(many).collect()
}

/// The text with one change that knows nothing of tokens.
pub(crate) fn mutated_text(text: &str, random: &mut Random) -> String {
    let mut text: Vec<char> = text.chars().collect();
    if text.is_empty() {
        return random.of(&PIECES).to_string();
    }
    let (at, other) = (random.below(text.len()), random.below(text.len()));
    match random.below(4) {
        0 => drop(text.remove(at)),
        1 => text.swap(at, other),
        2 => drop(text.splice(at..at, random.of(&PIECES).chars())),
        _ => drop(text.drain(at.min(other)..at.max(other))),
    }
    text.into_iter().collect()
}
