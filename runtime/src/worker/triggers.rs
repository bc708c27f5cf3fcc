//! The cron triggers of a registry, and whether a wrangler file names them.

use std::{
    fmt::Write as _,
    ops::Range,
    path::{Path, PathBuf},
};

use jsonc_parser::ParseOptions;
use serde_json::{Map, Value};

use crate::{
    Registry,
    jobs::{LONGEST_ON_WORKERS, Meta},
};

/// Cloudflare's limits, for an account: five on the free plan, 250 on a paid one.
const FREE: usize = 5;
const PAID: usize = 250;

/// The cron triggers that a registry needs, checked against what Cloudflare Workers can do.
///
/// For a test of the application, beside its wrangler file:
///
/// ```
/// # use steadfast::{Registry, jobs::NoLeases, worker::Triggers};
/// # struct App;
/// # static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
/// # let wrangler = std::env::temp_dir().join("steadfast-wrangler-of-the-docs.toml");
/// # std::fs::write(&wrangler, "[triggers]\ncrons = []\n").unwrap();
/// let triggers = Triggers::of(&JOBS).unwrap();
/// triggers.check(wrangler).unwrap();       // "wrangler.toml"
/// print!("{}", triggers.to_toml());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triggers {
    crons: Vec<&'static str>,
    warnings: Vec<String>,
}

/// What a Worker cannot run, or what its file says otherwise.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TriggersError {
    /// Polls need a loop, and a Worker has none.
    #[error(
        "`{0}` is a poll, and a Worker has no loop to run it in; keep it in a registry of the server's, or make it a job, for example \
         `#[job(cron = \"* * * * *\", timeout = \"50s\")]`"
    )]
    Poll(&'static str),
    /// A scheduled event ends after 15 minutes.
    #[error(
        "`{0}` may run longer than 14 minutes, and Cloudflare ends an event after 15; shorten it, for example `timeout = \"14m\"`"
    )]
    Timeout(&'static str),
    /// More than a paid account has.
    #[error(
        "{0} different cron lines, and an account of Cloudflare's has at most {PAID} triggers; let jobs share lines"
    )]
    TooMany(usize),
    /// The file is not what a wrangler file is.
    #[error("`{}` is no wrangler file as it should be: {why}", file.display())]
    Wrong {
        /// The file.
        file: PathBuf,
        /// What is wrong in it, and where.
        why: String,
    },
    /// The file could not be read.
    #[error("`{}` cannot be read as a wrangler file: {why}; name one, for example `wrangler.toml` or `wrangler.jsonc`", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file names other lines.
    #[error("`{}` differs from the registry at `{at}`: {differs}; write `{expected}`", file.display())]
    Differs {
        /// The file.
        file: PathBuf,
        /// Where in it.
        at: String,
        /// Which lines are missing, and which are in no job.
        differs: String,
        /// What it should say.
        expected: String,
    },
}

impl Triggers {
    /// The triggers of a registry. Jobs of one line share one.
    ///
    /// # Errors
    /// What a Worker cannot run: a poll, a timeout above 14 minutes, more than 250 lines.
    pub fn of<A, L>(registry: &Registry<A, L>) -> Result<Self, TriggersError> {
        if let Some(poll) = registry.polls().next() {
            return Err(TriggersError::Poll(poll.name));
        }
        if let Some(job) = registry.iter().find(|job| job.timeout > LONGEST_ON_WORKERS) {
            return Err(TriggersError::Timeout(job.name));
        }
        let crons = registry.crons();
        if crons.len() > PAID {
            return Err(TriggersError::TooMany(crons.len()));
        }
        let mut warnings: Vec<_> = registry.iter().filter_map(not_on_workers).collect();
        if crons.len() > FREE {
            warnings.push(format!(
                "{} different cron lines, and a free account of Cloudflare's has {FREE} triggers; let jobs share lines",
                crons.len()
            ));
        }
        Ok(Self { crons, warnings })
    }

    /// The lines, each once, in the order of the registry.
    #[must_use]
    pub fn crons(&self) -> &[&'static str] {
        &self.crons
    }

    /// What may not be meant: more than five lines, options of jobs that only a server's loop has.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().map(String::as_str)
    }

    /// The section of `wrangler.toml`.
    #[must_use]
    pub fn to_toml(&self) -> String {
        format!("[triggers]\n{}\n", self.line())
    }

    fn line(&self) -> String {
        let mut line = "crons = [".to_owned();
        for (n, cron) in self.crons.iter().enumerate() {
            // Canonical lines hold nothing that a string of TOML or JSON would escape.
            let _written = write!(line, "{}\"{cron}\"", if n == 0 { "" } else { ", " });
        }
        line + "]"
    }

    /// Does this wrangler file, TOML or JSON with comments, name these lines, at its top and in every environment that has triggers of its
    /// own? The order does not matter, the text does.
    ///
    /// # Errors
    /// [`TriggersError::File`], [`TriggersError::Wrong`] and [`TriggersError::Differs`].
    pub fn check(&self, file: impl AsRef<Path>) -> Result<(), TriggersError> {
        let file = file.as_ref();
        let wrangler = parsed(file)?;
        self.compare(file, "triggers.crons", &crons(file, "", &wrangler)?)?;
        for (name, environment) in table(file, "env", wrangler.get("env"))?.into_iter().flatten() {
            // Inherited where it says nothing.
            if environment.get("triggers").is_some() {
                let (at, prefix) = (format!("env.{name}.triggers.crons"), format!("env.{name}."));
                self.compare(file, &at, &crons(file, &prefix, environment)?)?;
            }
        }
        Ok(())
    }

    fn compare(&self, file: &Path, at: &str, lines: &[&str]) -> Result<(), TriggersError> {
        let quoted = |lines: Vec<&str>| lines.iter().map(|line| format!("`{line}`")).collect::<Vec<_>>().join(", ");
        let missing: Vec<_> = self.crons.iter().copied().filter(|cron| !lines.contains(cron)).collect();
        let unknown: Vec<_> = lines.iter().copied().filter(|line| !self.crons.contains(line)).collect();
        let repeated = lines.iter().enumerate().any(|(n, line)| lines[..n].contains(line));
        let mut differs = Vec::new();
        if !missing.is_empty() {
            differs.push(format!("it lacks {}", quoted(missing)));
        }
        if !unknown.is_empty() {
            differs.push(format!("no job has {}", quoted(unknown)));
        }
        if repeated {
            differs.push("a line stands there twice".to_owned());
        }
        if differs.is_empty() {
            return Ok(());
        }
        let (file, at, differs, expected) = (file.to_owned(), at.to_owned(), differs.join(", and "), self.line());
        Err(TriggersError::Differs { file, at, differs, expected })
    }
}

/// The lines at this place, or none where nothing is said.
fn crons<'a>(file: &Path, prefix: &str, at: &'a Value) -> Result<Vec<&'a str>, TriggersError> {
    let triggers = table(file, &format!("{prefix}triggers"), at.get("triggers"))?;
    let Some(crons) = triggers.and_then(|triggers| triggers.get("crons")) else { return Ok(Vec::new()) };
    let lines = crons.as_array().and_then(|crons| crons.iter().map(Value::as_str).collect());
    lines.ok_or_else(|| {
        wrong(
            file,
            format!("`{prefix}triggers.crons` is no list of strings; write one, for example `crons = [\"0 3 * * *\"]`"),
        )
    })
}

fn table<'a>(
    file: &Path,
    name: &str,
    value: Option<&'a Value>,
) -> Result<Option<&'a Map<String, Value>>, TriggersError> {
    match value {
        None => Ok(None),
        Some(Value::Object(table)) => Ok(Some(table)),
        Some(_) => Err(wrong(file, format!("`{name}` is no table; write one, for example `[{name}]`"))),
    }
}

fn wrong(file: &Path, why: String) -> TriggersError {
    TriggersError::Wrong { file: file.to_owned(), why }
}

fn parsed(file: &Path) -> Result<Value, TriggersError> {
    let unread = |why: String| TriggersError::File { file: file.to_owned(), why };
    let text = std::fs::read_to_string(file).map_err(|error| unread(error.to_string()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let value: Value = match file.extension().and_then(|extension| extension.to_str()) {
        // Without the quoted source, which may be long.
        Some("toml") => {
            toml::from_str(text).map_err(|error| wrong(file, placed(text, error.message(), error.span())))?
        }
        Some("json" | "jsonc") => {
            let options = ParseOptions {
                allow_comments: true,
                allow_trailing_commas: true,
                allow_loose_object_property_names: false,
                allow_missing_commas: false,
                allow_single_quoted_strings: false,
                allow_hexadecimal_numbers: false,
                allow_unary_plus_numbers: false,
            };
            jsonc_parser::parse_to_serde_value(text, &options).map_err(|error| wrong(file, error.to_string()))?
        }
        _ => return Err(unread("it ends in neither `.toml`, `.json` nor `.jsonc`".to_owned())),
    };
    if value.is_object() {
        Ok(value)
    } else {
        Err(wrong(file, "it holds no table; begin one, for example `[triggers]`".to_owned()))
    }
}

fn placed(text: &str, message: &str, span: Option<Range<usize>>) -> String {
    let before = span.and_then(|span| text.get(..span.start)).unwrap_or_default();
    let (line, column) =
        (before.matches('\n').count() + 1, before.rsplit('\n').next().map_or(1, |line| line.chars().count() + 1));
    format!("{} at line {line}, column {column}", message.lines().next().unwrap_or("it is no TOML"))
}

/// What only the loop of a server does.
fn not_on_workers(job: &'static Meta) -> Option<String> {
    let mut options = Vec::new();
    options.extend(job.catch_up.map(|_| "`catch_up`"));
    options.extend((!job.splay.is_zero()).then_some("`splay`"));
    options.extend(job.lease.hand_back.then_some("`on_shutdown = hand_back`"));
    (!options.is_empty()).then(|| {
        format!(
            "`{}` says {}, which a Worker has no loop for; it runs the slots that Cloudflare fires",
            job.name,
            options.join(" and ")
        )
    })
}
