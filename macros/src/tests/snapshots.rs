//! What each macro expands to, as a person reads it: one small and typical use of each, in `snapshots/<macro>.rs`.
//!
//! The comment at the head of a file is what was written. After a wanted change, `STEADFAST_BLESS=1` writes the new ones.

use std::{env, fs, path::Path};

use proc_macro2::TokenStream;

use super::{macro_input::invocations, tokens};

/// The macros, with what a user would write.
const USES: [(&str, &str); 9] = [
    (
        "atomic_unit",
        "#[atomic_unit(retry = contention)]
pub async fn close(tx: &mut Tx<'_>, trial: i64, by: &str) -> Result<(), BillingError> {
    trials::close(tx, trial, by).await
}",
    ),
    (
        "provider_call",
        "#[provider_call(retry = provider, idempotent = client_id(key))]
pub async fn charge(key: &str, amount: u64) -> Result<Receipt, PaymentError> {
    post(key, amount).await
}",
    ),
    (
        "job",
        "#[job(cron = \"0 3 * * *\", timeout = \"5m\", exclusive)]
pub async fn close_expired_trials(slot: Slot, db: &SqlitePool) -> Result<(), BillingError> {
    close_all(db, slot).await
}",
    ),
    (
        "poll",
        "#[poll(every = \"1s\", timeout = \"30s\")]
pub async fn relay(db: &SqlitePool) -> Result<Tick, RelayError> {
    relay_one(db).await
}",
    ),
    (
        "repository",
        "#[repository]
pub async fn close(tx: &mut Tx<'_>, trial: i64) -> Result<(), sqlx::Error> {
    query(trial).execute(tx).await
}",
    ),
    (
        "policies",
        "policies! {
    /// Short waits for a lock.
    pub policy contention = capped(base = \"20ms\", cap = \"500ms\", retries = 5).on(contention);
}",
    ),
    (
        "registry",
        "registry! {
    pub static JOBS for App = [billing::close_expired_trials, mail::digest];
}",
    ),
    (
        "Classify",
        "#[derive(Classify)]
pub enum BillingError {
    Closed,
    #[classify(rate_limited, retry_after = wait)]
    Busy { wait: Duration },
    #[classify(transparent)]
    Db(sqlx::Error),
}",
    ),
    (
        "Provide",
        "#[derive(Provide)]
pub struct App {
    db: SqlitePool,
    mailer: Arc<dyn Mailer>,
    #[provide(skip)]
    archive: SqlitePool,
}",
    ),
];

#[test]
fn expansions_are_the_ones_that_are_written_down() {
    let mut changed = Vec::new();
    for (name, written) in USES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/snapshots").join(format!("{name}.rs"));
        let expansion = shown(written);
        if env::var_os("STEADFAST_BLESS").is_some() {
            fs::write(&path, &expansion).expect("the folder `snapshots`");
        }
        let known = fs::read_to_string(&path).unwrap_or_default();
        if known != expansion {
            changed.push(format!("── {name}\n{}", difference(&known, &expansion)));
        }
    }
    assert!(
        changed.is_empty(),
        "the expansions are not those of `macros/src/tests/snapshots` (`-`); if they should be (`+`), write them and read the change:\n\n    \
         STEADFAST_BLESS=1 cargo test -p steadfast-macros snapshots\n\n{}",
        changed.join("\n")
    );
}

/// The use as a comment, and below it the expansion.
fn shown(written: &str) -> String {
    let [invocation] = &invocations(tokens(written))[..] else { panic!("one use of a macro: {written}") };
    let expansion: TokenStream = invocation.expand();
    let file = syn::parse2(expansion).expect("an expansion is made of items");
    let written: Vec<String> = written.lines().map(|line| format!("// {line}")).collect();
    format!("{}\n\n{}", written.join("\n"), prettyplease::unparse(&file))
}

/// Line by line: what is common at both ends is left out but for three lines around.
fn difference(before: &str, after: &str) -> String {
    let (before, after): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let same = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
    let rest = before.len().min(after.len()) - same;
    let tail =
        before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(before, after)| before == after).count();
    let show = |sign: &str, lines: &[&str]| lines.iter().map(|line| format!("{sign} {line}")).collect::<Vec<_>>();
    let around = &after[same.saturating_sub(3)..same];
    let behind = &after[after.len() - tail..(after.len() - tail + 3).min(after.len())];
    [
        show(" ", around),
        show("-", &before[same..before.len() - tail]),
        show("+", &after[same..after.len() - tail]),
        show(" ", behind),
    ]
    .concat()
    .join("\n")
}
