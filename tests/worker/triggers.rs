//! The cron triggers of a registry, and the wrangler file that names them.

use std::{convert::Infallible, fs, path::PathBuf, time::Duration};

use steadfast::{
    Cron, Registry, Slot, Tick, job,
    jobs::{Entry, Job, JobError, JobMeta, LeaseMode, Listed, Meta, NoLeases, Run},
    poll, registry,
    worker::{Triggers, TriggersError},
};

struct App;

#[job(name = "nightly", cron = "0 3 * * MON-FRI", exclusive, timeout = "14m", catch_up = "1h", splay = "20m")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn nightly(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

#[job(name = "nightly-too", cron = "00 3 * * mon-fri", timeout = "1m")]
#[allow(clippy::unused_async)]
async fn nightly_too(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

#[job(name = "often", cron = "*/5 * * * *", timeout = "1m")]
#[allow(clippy::unused_async)]
async fn often(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

#[job(name = "long", cron = "0 5 * * *", timeout = "15m")]
#[allow(clippy::unused_async)]
async fn long(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

#[poll(name = "relay", every = "1s", timeout = "1m")]
#[allow(clippy::unused_async)]
async fn relay() -> Result<Tick, Infallible> {
    Ok(Tick::Idle)
}

registry! { static JOBS for App = [nightly, often, nightly_too]; }
registry! { static WITH_A_POLL for App = [often, relay]; }
registry! { static TOO_LONG for App = [often, long]; }
static NONE: Registry<App, NoLeases> = Registry::new(&[]);

/// A file of this name in a folder of its own.
fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, text).unwrap();
    (folder, file)
}

fn differs(name: &str, text: &str) -> String {
    let (_folder, file) = file(name, text);
    match Triggers::of(&JOBS).unwrap().check(&file).unwrap_err() {
        TriggersError::Differs { at, differs, .. } => format!("{at}: {differs}"),
        error => error.to_string().replace(&file.display().to_string(), name),
    }
}

#[test]
fn jobs_of_one_schedule_share_a_line() {
    let triggers = Triggers::of(&JOBS).unwrap();
    assert_eq!(triggers.crons(), JOBS.crons());
    let [nightly, often] = triggers.crons() else { panic!("{triggers:?}") };
    assert_eq!((*nightly, *often), (nightly_text(), "*/5 * * * *"));
    assert_eq!(triggers.to_toml(), format!("[triggers]\ncrons = [\"{nightly}\", \"{often}\"]\n"));
    let warnings: Vec<_> = triggers.warnings().collect();
    let [warning] = warnings[..] else { panic!("{warnings:?}") };
    assert!(warning.starts_with("`nightly` says `catch_up` and `splay`"), "{warning}");
}

/// As the macro writes it.
fn nightly_text() -> &'static str {
    <nightly as JobMeta>::META.cron_text
}

#[test]
fn what_a_worker_cannot_run_is_refused() {
    let told = Triggers::of(&WITH_A_POLL).unwrap_err().to_string();
    assert!(told.starts_with("`relay` is a poll, and a Worker has no loop"), "{told}");
    let told = Triggers::of(&TOO_LONG).unwrap_err().to_string();
    assert!(told.starts_with("`long` may run longer than 14 minutes"), "{told}");
}

#[test]
fn a_file_that_says_the_same_passes() {
    let triggers = Triggers::of(&JOBS).unwrap();
    let (nightly, often) = (triggers.crons()[0], triggers.crons()[1]);
    for (name, text) in [
        ("wrangler.toml", format!("name = \"shop\"\n{}", triggers.to_toml())),
        (
            "wrangler.toml",
            format!(
                "[triggers]\ncrons = [\n  '{often}', # another order\n  \"{nightly}\",\n]\n[env.test.vars]\nA = 1\n"
            ),
        ),
        ("wrangler.json", format!("\u{feff}{{\"triggers\": {{\"crons\": [\"{often}\", \"{nightly}\"]}}}}")),
        (
            "wrangler.jsonc",
            format!("// the jobs\n{{\"triggers\": {{\"crons\": [\"{often}\", /* at night */ \"{nightly}\",]}}}}"),
        ),
        (
            "wrangler.toml",
            format!("{}\n[env.live.triggers]\ncrons = [\"{often}\", \"{nightly}\"]\n", triggers.to_toml()),
        ),
    ] {
        let (_folder, file) = file(name, &text);
        triggers.check(&file).unwrap_or_else(|error| panic!("{text}\n{error}"));
    }
    let (_folder, file) = file("wrangler.toml", "name = \"shop\"\n");
    Triggers::of(&NONE).unwrap().check(&file).unwrap();
}

#[test]
fn a_file_that_says_something_else_does_not() {
    let (nightly, often) = (nightly_text(), "*/5 * * * *");
    let all = format!("[triggers]\ncrons = [\"{nightly}\", \"{often}\"]\n");
    for (text, expected) in [
        (String::new(), format!("triggers.crons: it lacks `{nightly}`, `{often}`")),
        (format!("[triggers]\ncrons = [\"{often}\"]\n"), format!("triggers.crons: it lacks `{nightly}`")),
        (
            format!("[triggers]\ncrons = [\"{nightly}\", \"{often}\", \"0 4 * * *\"]\n"),
            "triggers.crons: no job has `0 4 * * *`".to_owned(),
        ),
        (
            format!("[triggers]\ncrons = [\"{nightly} \", \"{often}\"]\n"),
            format!("triggers.crons: it lacks `{nightly}`, and no job has `{nightly} `"),
        ),
        (
            format!("[triggers]\ncrons = [\"{nightly}\", \"{often}\", \"{often}\"]\n"),
            "triggers.crons: a line stands there twice".to_owned(),
        ),
        (
            format!("{all}[env.live.triggers]\ncrons = []\n"),
            format!("env.live.triggers.crons: it lacks `{nightly}`, `{often}`"),
        ),
    ] {
        assert_eq!(differs("wrangler.toml", &text), expected, "{text}");
    }
    let strings = "is no list of strings; write one, for example `crons = [\"0 3 * * *\"]`";
    for (text, expected) in [
        ("[triggers]\ncrons = [5]\n", format!("`triggers.crons` {strings}")),
        ("[triggers]\ncrons = \"*/5 * * * *\"\n", format!("`triggers.crons` {strings}")),
        ("[triggers.crons]\n", format!("`triggers.crons` {strings}")),
        ("triggers = [\"*/5 * * * *\"]\n", "`triggers` is no table; write one, for example `[triggers]`".to_owned()),
        ("[triggers]\nx = 1\n\n  crons == []\n", String::new()),
    ] {
        let told = differs("wrangler.toml", text);
        let expected = format!("`wrangler.toml` is no wrangler file as it should be: {expected}");
        assert!(told.starts_with("`wrangler.toml` is no wrangler file as it should be: "), "{told}");
        if !text.contains("==") {
            assert_eq!(told, expected, "{text}");
        }
        assert!(told.lines().count() == 1 && (!text.contains("==") || told.contains("line 4")), "{told}");
    }
    let env = format!("{all}[env.live]\ntriggers = {{}}\n");
    assert_eq!(differs("wrangler.toml", &env), format!("env.live.triggers.crons: it lacks `{nightly}`, `{often}`"));
    assert!(differs("wrangler.toml", &format!("env = []\n{all}")).contains("`env` is no table"));
    assert!(differs("wrangler.json", "[]").contains("it holds no table"));
    for text in ["{'triggers': {}}", "{triggers: {}}", "{\"a\": 1 \"b\": 2}"] {
        assert!(differs("wrangler.jsonc", text).contains("as it should be"), "{text}");
    }
    assert!(differs("wrangler.yaml", "").contains("neither `.toml`"));
    let absent = Triggers::of(&JOBS).unwrap().check("no/such/wrangler.toml").unwrap_err().to_string();
    assert!(absent.starts_with("`no/such/wrangler.toml` cannot be read"), "{absent}");
}

#[test]
fn the_error_says_what_to_write() {
    let (_folder, file) = file("wrangler.toml", "");
    let told = Triggers::of(&JOBS).unwrap().check(&file).unwrap_err().to_string();
    assert!(told.ends_with(&format!("write `crons = [\"{}\", \"*/5 * * * *\"]`", nightly_text())), "{told}");
}

// ---------------------------------------------------------------------------------- more lines than an account has

/// Each with a line of its own.
struct Numbered<const N: usize>;

macro_rules! lines {
    ($($hour:literal)*) => { [$(
        concat!("0 ", $hour, " * * *"), concat!("1 ", $hour, " * * *"), concat!("2 ", $hour, " * * *"),
        concat!("3 ", $hour, " * * *"), concat!("4 ", $hour, " * * *"), concat!("5 ", $hour, " * * *"),
        concat!("6 ", $hour, " * * *"), concat!("7 ", $hour, " * * *"), concat!("8 ", $hour, " * * *"),
        concat!("9 ", $hour, " * * *"), concat!("10 ", $hour, " * * *"),
    )*] };
}

macro_rules! entries {
    ($($hour:literal)*) => { [$(
        Entry::job::<Numbered<{ $hour * 11 }>>(), Entry::job::<Numbered<{ $hour * 11 + 1 }>>(),
        Entry::job::<Numbered<{ $hour * 11 + 2 }>>(), Entry::job::<Numbered<{ $hour * 11 + 3 }>>(),
        Entry::job::<Numbered<{ $hour * 11 + 4 }>>(), Entry::job::<Numbered<{ $hour * 11 + 5 }>>(),
        Entry::job::<Numbered<{ $hour * 11 + 6 }>>(), Entry::job::<Numbered<{ $hour * 11 + 7 }>>(),
        Entry::job::<Numbered<{ $hour * 11 + 8 }>>(), Entry::job::<Numbered<{ $hour * 11 + 9 }>>(),
        Entry::job::<Numbered<{ $hour * 11 + 10 }>>(),
    )*] };
}

static LINES: [&str; 253] = lines!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22);
static ENTRIES: [Entry<App>; 253] = entries!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22);

impl<const N: usize> JobMeta for Numbered<N> {
    const META: Meta = Meta {
        name: LINES[N],
        cron: Cron::from_masks(1, 1, !0, !0, !0),
        cron_text: LINES[N],
        exclusive: false,
        timeout: Duration::from_mins(1),
        lease: LeaseMode::new(false, false),
        catch_up: None,
        splay: Duration::ZERO,
        lease_in: None,
    };
}

impl<const N: usize> Job<App> for Numbered<N> {
    async fn run(_: Run<'_>, _: &App) -> Result<(), JobError> {
        Ok(())
    }
}

impl<const N: usize> Listed<App> for Numbered<N> {
    const ENTRY: Entry<App> = Entry::job::<Self>();
}

#[test]
fn an_account_has_so_many_triggers() {
    let of = |entries: &'static [Entry<App>]| Triggers::of(&Registry::<App, NoLeases>::new(entries));
    assert_eq!(of(&ENTRIES[..5]).unwrap().warnings().count(), 0);
    let six = of(&ENTRIES[..6]).unwrap();
    let warnings: Vec<_> = six.warnings().collect();
    assert!(matches!(warnings[..], [one] if one.starts_with("6 different cron lines")), "{warnings:?}");
    assert_eq!(of(&ENTRIES[..250]).unwrap().crons().len(), 250);
    let told = of(&ENTRIES[..251]).unwrap_err().to_string();
    assert!(told.starts_with("251 different cron lines"), "{told}");
}
