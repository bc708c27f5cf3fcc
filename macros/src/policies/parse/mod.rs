//! One item after the other, each up to its `;`:
//!
//! - `pub policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);`
//! - `pub policy relay = durable(base = "1s", cap = "1h", attempts = 20);`
//! - `pub schedule tick = spaced("1s").up_to(5);`

mod capped;
mod durable;
mod schedule;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, LitStr, Token, Visibility};

use crate::chunks::joined;
use crate::editor::Written;
use crate::error::{Errors, bail, err};
use crate::form::Form;
use crate::options::{Given, Options};
use crate::suggest::{one_of, unknown};

pub(crate) use capped::{Capped, Share};
pub(crate) use durable::Durable;
pub(crate) use schedule::{Schedule, Shape as ScheduleShape};

const FORM: &str = "pub policy contention = capped(base = \"50ms\", cap = \"200ms\", retries = 3).on(contention);";
const SCHEDULE_FORM: &str = "pub schedule tick = spaced(\"1s\").up_to(5);";

const POLICY_SHAPES: [&str; 2] = ["capped", "durable"];

/// What every item begins with.
pub(crate) struct Head {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
}

/// Whether the attribute says where the item is there at all.
pub(crate) fn is_cfg(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg")
}

/// One item as written.
pub(crate) enum Item {
    Capped(Head, Capped),
    Durable(Head, Durable),
    Schedule(Head, Schedule),
}

impl Item {
    pub(crate) fn head(&self) -> &Head {
        match self {
            Self::Capped(head, _) | Self::Durable(head, _) | Self::Schedule(head, _) => head,
        }
    }

    /// The keys of its shape, and of what stands behind it.
    pub(crate) fn written(&self) -> &[Written] {
        match self {
            Self::Capped(_, capped) => &capped.written,
            Self::Durable(_, durable) => durable.written.as_slice(),
            Self::Schedule(_, schedule) => schedule.written.as_slice(),
        }
    }

    /// What such an item is called.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Capped(..) | Self::Durable(..) => "policy",
            Self::Schedule(..) => "schedule",
        }
    }
}

/// All items that can be read, each up to its `;`.
pub(crate) fn items(input: TokenStream, errors: &mut Errors) -> Vec<Item> {
    let mut items = Vec::new();
    let mut tokens = Vec::new();
    for token in input {
        let ends = matches!(&token, TokenTree::Punct(end) if end.as_char() == ';');
        tokens.push(token);
        if ends {
            items.extend(item(&std::mem::take(&mut tokens), errors));
        }
    }
    if !tokens.is_empty() {
        items.extend(item(&tokens, errors));
    }
    items
}

fn item(tokens: &[TokenTree], errors: &mut Errors) -> Option<Item> {
    let tokens = joined(tokens);
    let form = Form::new(FORM, &tokens);
    let schedule = Form::new(SCHEDULE_FORM, &tokens);
    let parsed = (|input: ParseStream<'_>| Raw::parse(input, form, schedule)).parse2(tokens);
    let Raw { head, is_schedule, rest, broken } = errors.take(parsed)?;
    let is_broken = broken.is_some();
    let item = match rest {
        Some((Shape::Durable, arguments, chain)) => {
            Item::Durable(head, Durable::parse(arguments, &chain, is_broken, errors))
        }
        Some((Shape::Capped, arguments, chain)) => {
            Item::Capped(head, Capped::parse(arguments, chain, is_broken, errors))
        }
        Some((Shape::Schedule(word), arguments, chain)) => {
            Item::Schedule(head, Schedule::parse(&word, arguments, chain, is_broken, errors))
        }
        // It exists all the same, for the attributes that name it.
        None if is_schedule => Item::Schedule(head, Schedule::WRONG),
        None => Item::Capped(head, Capped::WRONG),
    };
    if let Some(error) = broken {
        errors.push(error);
    }
    Some(item)
}

/// What stands behind the `=`.
enum Shape {
    Capped,
    Durable,
    /// One of those of a schedule.
    Schedule(Ident),
}

/// The words behind the shape, with their lists: `.on(…)`.
type Chain = Vec<(Ident, TokenStream)>;

/// One item whose lists are not looked into yet.
struct Raw {
    head: Head,
    is_schedule: bool,
    rest: Option<(Shape, TokenStream, Chain)>,
    /// What is wrong behind the name: the item exists all the same, for the attributes that name it.
    broken: Option<syn::Error>,
}

impl Raw {
    fn parse(input: ParseStream<'_>, form: Form, schedule: Form) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let word = form.expect_with(input, "`policy` or `schedule`", Ident::parse_any)?;
        let is_schedule = word == "schedule";
        if !is_schedule && word != "policy" {
            bail!(
                &word,
                "unknown item `{word}`; expected `policy`, written `{FORM}`, or `schedule`, written `{SCHEDULE_FORM}`"
            );
        }
        let form = if is_schedule { schedule } else { form };
        let name = form.expect(input, &format!("the name of the {word}"))?;
        let mut raw = Self { head: Head { attrs, vis, name }, is_schedule, rest: None, broken: None };
        raw.broken = raw.rest(input, form).err();
        if raw.broken.is_some() {
            // Reported as one mistake, not as one for each token that follows.
            input.parse::<TokenStream>()?;
        }
        Ok(raw)
    }

    fn rest(&mut self, input: ParseStream<'_>, form: Form) -> syn::Result<()> {
        form.expect::<Token![=]>(input, "`=`")?;
        let (shape, link) = if self.is_schedule { ("spaced", "up_to") } else { ("capped", "on") };
        let word: Ident = form.expect(input, &format!("`{shape}(…)`"))?;
        let shape = self.shape(&word)?;
        let arguments = form.within(input, Delimiter::Parenthesis, &format!("`(…)` after `{word}`"))?;
        let (_, _, chain) = self.rest.insert((shape, arguments, Vec::new()));
        while input.parse::<Option<Token![.]>>()?.is_some() {
            let word: Ident = form.expect(input, &format!("`{link}(…)`"))?;
            let list = form.within(input, Delimiter::Parenthesis, &format!("`(…)` after `{word}`"))?;
            chain.push((word, list));
        }
        form.expect::<Token![;]>(input, &format!("`.{link}(…)` or `;`"))?;
        Ok(())
    }

    fn shape(&self, word: &Ident) -> syn::Result<Shape> {
        let name = &self.head.name;
        let is_of_schedules = schedule::SHAPES.iter().any(|shape| word == shape);
        let is_of_policies = POLICY_SHAPES.iter().any(|shape| word == shape);
        match (self.is_schedule, word.to_string().as_str()) {
            (false, "capped") => Ok(Shape::Capped),
            (false, "durable") => Ok(Shape::Durable),
            (true, _) if is_of_schedules => Ok(Shape::Schedule(word.clone())),
            (false, _) if is_of_schedules => bail!(
                word,
                "`{word}` is a shape of schedules, which retry no unit; {}, or write `pub schedule {name} = {word}(…)`",
                one_of(&POLICY_SHAPES)
            ),
            (true, _) if is_of_policies => bail!(
                word,
                "`{word}` is a shape of policies; {}, or write `pub policy {name} = {word}(…)`",
                one_of(&schedule::SHAPES)
            ),
            (false, _) => Err(unknown(word, "shape", &POLICY_SHAPES)),
            (true, _) => Err(unknown(word, "shape", &schedule::SHAPES)),
        }
    }
}

/// A duration that has to be there.
fn duration(options: &mut Options, key: &str, example: &str, errors: &mut Errors) -> Given<LitStr> {
    options.given(key, errors, |entry| entry.value("a duration", example))
}

/// Keeps the first of two, and says that there are two.
fn once<T>(place: &mut Option<T>, word: &Ident, value: T, errors: &mut Errors) {
    if place.is_some() {
        errors.push(err!(word, "`{word}` is given twice; keep one of them"));
    } else {
        *place = Some(value);
    }
}
