//! What an editor is given, and when.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::{expansion, messages, tokens};
use crate::{atomic_unit, job, policies, poll, provider_call};

/// The structs of the runtime whose fields are keys.
const DOCUMENTED: &str = include_str!("../../../runtime/src/private/keys.rs");

const UNIT: &str = "async fn close(tx: &mut Tx<'_>, id: i64) -> Result<(), E> { g(id) }";
const JOB: &str = "async fn close(slot: Slot, db: &SqlitePool) -> Result<(), E> { g(db) }";
const POLL: &str = "async fn relay(db: &SqlitePool) -> Result<Tick, E> { g(db) }";
const CALL: &str = "async fn charge(cents: u64) -> Result<(), E> { g(cents) }";

/// The words of "expected one of …": what a macro knows.
fn known(expand: fn(TokenStream, TokenStream) -> TokenStream, item: &str) -> Vec<String> {
    let all = messages(expand(quote!(zzzzzzzz), tokens(item)));
    let message = all.iter().find(|message| message.contains("zzzzzzzz")).expect("the key is unknown");
    let (_, list) = message.split_once("expected one of ").expect("a list");
    list.split(", ").map(|word| word.trim_matches('`').to_owned()).collect()
}

/// The fields of a struct of the runtime.
fn fields(of: &str) -> Vec<String> {
    let start = DOCUMENTED.find(&format!("\n    {of} {{")).unwrap_or_else(|| panic!("`{of}` is documented"));
    let text = &DOCUMENTED[start..start + DOCUMENTED[start..].find("\n    }").expect("an end")];
    let lines: Vec<&str> = text.lines().skip(2).map(str::trim).collect();
    let fields = lines.iter().enumerate().filter(|(_, line)| !line.starts_with("///"));
    let named = fields.map(|(at, line)| {
        assert!(at > 0 && lines[at - 1].starts_with("///"), "{of}: `{line}` has a sentence");
        line.trim_end_matches(',').to_owned()
    });
    named.collect()
}

/// A key that an editor does not know would be a mistake to it.
#[test]
fn every_key_is_documented() {
    for (of, expand, item) in [
        ("AtomicUnit", atomic_unit::expand as fn(_, _) -> _, UNIT),
        ("Job", job::expand, JOB),
        ("Poll", poll::expand, POLL),
        ("ProviderCall", provider_call::expand, CALL),
    ] {
        let (mut known, mut fields) = (known(expand, item), fields(of));
        // A keyword is no field's name.
        known.retain(|key| key != "crate");
        known.sort_unstable();
        fields.sort_unstable();
        assert_eq!(known, fields, "{of}");
    }
}

/// The identifiers of a stream, at any depth.
fn words(stream: TokenStream) -> Vec<Ident> {
    let mut words = Vec::new();
    for token in stream {
        match token {
            TokenTree::Ident(word) => words.push(word),
            TokenTree::Group(group) => words.extend(self::words(group.stream())),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    words
}

#[test]
fn keys_are_fields_where_nothing_is_wrong() {
    let unit = expansion(atomic_unit::expand(quote!(retry = contention, pool = P), tokens(UNIT)));
    assert!(
        unit.contains("keys :: AtomicUnit { retry : () , pool : () , ..") && !unit.contains("rust_analyzer"),
        "{unit}"
    );
    let job = expansion(job::expand(quote!(cron = "0 3 * * *", timeout = "5m", exclusive), tokens(JOB)));
    assert!(job.contains("keys :: Job { cron : () , timeout : () , exclusive : () , .."), "{job}");
    let policies = expansion(policies::expand(tokens(
        "policy a = capped(base = \"1s\", cap = \"2s\", retries = 3).on(contention).budget(ratio = 0.1);",
    )));
    for literal in ["keys :: Capped { base : () , cap : () , retries : () , ..", "keys :: Budget { ratio : () , .."] {
        assert!(policies.contains(literal), "{policies}");
    }
}

/// Half a key is completed from the fields, beside whatever else is wrong, and rustc never sees it.
#[test]
fn a_key_that_is_being_typed_is_a_field_for_editors_alone() {
    let units = ["async fn close(tx: &mut Tx<'_>) -> Result<(), E> { g() }", "fn close(&self) { #![allow(x)] g() }"];
    let jobs = [JOB, "async fn close(&self) -> Result<(), E> { #![allow(x)] #![allow(y)] g() }"];
    let polls = [POLL, "fn relay() { g() }"];
    let calls = [CALL, "fn charge() { g() }"];
    for (of, items, expand) in [
        ("AtomicUnit", units, atomic_unit::expand as fn(TokenStream, TokenStream) -> TokenStream),
        ("Job", jobs, job::expand),
        ("Poll", polls, poll::expand),
        ("ProviderCall", calls, provider_call::expand),
    ] {
        for item in items {
            let text = expand(quote!(excl, r#type = 3, async = 4), tokens(item)).to_string();
            let literal = format!("keys :: {of} {{ excl : () , r#type : () , ..");
            assert!(text.contains("# [cfg (rust_analyzer)]") && text.contains(&literal), "{text}");
            let (inner, literal) = (text.rfind("# ! [allow"), text.find(&literal));
            assert!(inner < literal, "inner attributes stay first: {text}");
        }
    }
}

/// `crate = …` is the only name that an expansion knows the runtime by.
#[test]
fn the_runtime_is_called_what_the_user_calls_it() {
    let item = |text: &str| tokens(text);
    let expansions = [
        atomic_unit::expand(
            item(
                "retry = transient, idempotent = receipt(id), isolation = serializable, fence = lease, crate = crate::kit::rt",
            ),
            item("async fn f(tx: &mut Tx<'_>, id: String, lease: &Lease) -> Result<(), E> { g(id) }"),
        ),
        provider_call::expand(item("retry = limited, crate = crate::kit::rt"), item(CALL)),
        job::expand(
            item("cron = \"0 3 * * *\", timeout = \"5m\", exclusive, catch_up = \"1h\", crate = crate::kit::rt"),
            item(JOB),
        ),
        poll::expand(item("every = \"1s\", timeout = \"5m\", crate = crate::kit::rt"), item(POLL)),
        policies::expand(item(
            "crate = crate::kit::rt; policy a = capped(base = \"1s\", cap = \"2s\", retries = 3).on(contention).budget(ratio = 0.1); \
             policy b = durable(base = \"1s\", cap = \"2s\", attempts = 3); schedule c = spaced(\"1s\");",
        )),
        crate::registry::expand(item("crate = crate::kit::rt; static JOBS for App = [a::b, c::d];")),
        crate::classify::expand(item(
            "#[classify(crate = crate::kit::rt)] enum E { A, #[classify(transparent)] B(X), #[classify(rate_limited, retry_after = 0)] C(D) }",
        )),
        crate::provide::expand(item("#[provide(crate = crate::kit::rt)] struct App { db: SqlitePool }")),
    ];
    for expansion in expansions {
        super::expansion(expansion.clone());
        let words = words(expansion);
        assert!(!words.contains(&format_ident!("steadfast")), "{words:?}");
        assert!(words.contains(&format_ident!("kit")), "{words:?}");
    }
    // And only in that expansion.
    let after = expansion(provider_call::expand(quote!(retry = limited), tokens(CALL)));
    assert!(after.contains(":: steadfast :: __private"), "{after}");
}

#[test]
fn the_runtime_is_found_by_a_path_that_means_one_thing() {
    let unit = |text: &str| super::checked(atomic_unit::expand(tokens(text), tokens(UNIT)));
    for (wrong, part) in [
        ("retry = never, crate = kit", "begin it with `::`"),
        ("retry = never, crate = self::kit", "begin it with `::`"),
        ("retry = never, crate = \"kit\"", "takes a path, not a text"),
        ("retry = never, crate = ::kit<T>", "takes the path"),
        ("retry = never, crate", "takes a value"),
        ("retry = never, crate = ::a, crate = ::b", "given twice"),
    ] {
        super::assert_says(&unit(wrong), &[part, "`"]);
    }
    for (wrong, part) in [
        ("crate = kit; policy a = durable(base = \"1s\", cap = \"2s\", attempts = 3);", "begin it with `::`"),
        ("crate = ; policy a = durable(base = \"1s\", cap = \"2s\", attempts = 3);", "takes a value"),
        ("crate = ::kit", "expected `;`"),
    ] {
        super::assert_says(&super::checked(policies::expand(tokens(wrong))), &[part]);
    }
    super::assert_says(
        &super::checked(crate::provide::expand(tokens("#[provide(crate = kit)] struct A;"))),
        &["begin it with"],
    );
    super::assert_says(
        &super::checked(crate::classify::expand(tokens("#[classify(crate =)] enum A {}"))),
        &["takes a value"],
    );
}
