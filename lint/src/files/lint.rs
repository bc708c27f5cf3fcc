//! The lint of one package: what it looks at, what is allowed, and what becomes of the findings.

use std::path::{Path, PathBuf};
use std::{env, panic, thread};

use super::allow::{self, Allow};
use super::error::Error;
use super::file::File;
use super::finding::Finding;
use super::jobs::Jobs;
use super::kind::{self, Kind};
use super::report::Report;
use super::{items, modules, sources};
use crate::scan::Scan;

/// The sources of a package, looked at for what is retried, ticked or scheduled by hand.
///
/// ```
/// use steadfast_lint::Lint;
///
/// // In a test of your crate:
/// Lint::new(env!("CARGO_MANIFEST_DIR")).assert();
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Lint {
    root: PathBuf,
    folder: String,
    allowed: Vec<Allow>,
    every_job_listed: bool,
}

impl Lint {
    /// The lint of the package in this folder. It looks at the `.rs` files below `src`.
    ///
    /// ```
    /// let lint = steadfast_lint::Lint::new(env!("CARGO_MANIFEST_DIR"));
    /// # lint.assert();
    /// ```
    pub fn new(package: impl Into<PathBuf>) -> Self {
        Self { root: package.into(), folder: "src".to_owned(), allowed: Vec::new(), every_job_listed: false }
    }

    /// Looks at another folder of the package than `src`.
    ///
    /// ```
    /// steadfast_lint::Lint::new(env!("CARGO_MANIFEST_DIR")).folder("src/files").assert();
    /// ```
    pub fn folder(mut self, folder: &str) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    /// Allows all that is found in a file or a folder, for a reason. The path begins at the package.
    ///
    /// An entry without a reason is an error of the report, and so is one that allows nothing.
    ///
    /// ```no_run
    /// steadfast_lint::Lint::new(env!("CARGO_MANIFEST_DIR"))
    ///     .allow("src/legacy.rs", "goes away with the old importer")
    ///     .assert();
    /// ```
    pub fn allow(mut self, path: &str, reason: &str) -> Self {
        self.allowed.push(Allow::new(path, None, reason));
        self
    }

    /// Allows one kind in a file or a folder.
    ///
    /// ```no_run
    /// use steadfast_lint::{Kind, Lint};
    ///
    /// Lint::new(env!("CARGO_MANIFEST_DIR"))
    ///     .allow_kind("src/display.rs", Kind::Ticker, "draws a frame, and nothing is missed")
    ///     .assert();
    /// ```
    pub fn allow_kind(mut self, path: &str, kind: Kind, reason: &str) -> Self {
        self.allowed.push(Allow::new(path, Some(kind), reason));
        self
    }

    /// Also reports `pub` functions with `#[job]` or `#[poll]` that no `registry!` of this package lists. Jobs are compared by the last
    /// segment of their paths. Not for a library whose jobs another package lists.
    ///
    /// ```
    /// steadfast_lint::Lint::new(env!("CARGO_MANIFEST_DIR")).every_job_listed().assert();
    /// ```
    pub fn every_job_listed(mut self) -> Self {
        self.every_job_listed = true;
        self
    }

    /// Looks, and says all that was found.
    ///
    /// ```
    /// let report = steadfast_lint::Lint::new(env!("CARGO_MANIFEST_DIR")).report();
    /// assert_eq!(report.to_string(), "");
    /// ```
    #[must_use]
    pub fn report(&self) -> Report {
        // On a thread of its own: the lexer keeps the text of all that it has read until its thread ends.
        thread::scope(|scope| scope.spawn(|| self.look()).join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
    }

    /// The assertion of a test.
    ///
    /// ```
    /// steadfast_lint::Lint::new(env!("CARGO_MANIFEST_DIR")).assert();
    /// ```
    ///
    /// # Panics
    ///
    /// If the report is not clean, with all of it as the message.
    #[track_caller]
    pub fn assert(&self) {
        let report = self.report();
        // What to write where it is right as it stands, of the first of them.
        let allowed = report.findings.first().map_or_else(String::new, |found| {
            format!(
                "\nallow what is right where it stands, for example `.allow_kind({:?}, Kind::{:?}, \"why\")`",
                found.path(),
                found.kind()
            )
        });
        assert!(report.is_clean(), "what the lint found:\n{report}{allowed}");
    }

    /// For a build script: each line of the report is an error of the build. Cargo runs the script again when a file of the package changes.
    ///
    /// ```no_run
    /// // In the `main` of `build.rs`:
    /// steadfast_lint::Lint::new(env!("CARGO_MANIFEST_DIR")).allow("src/legacy.rs", "goes away with it").deny();
    /// ```
    pub fn deny(&self) {
        // No `rerun-if-changed`: one line of it turns off cargo's own watch over the whole package, which the rest of a build script
        // may depend on.
        for line in self.report().lines() {
            println!("cargo::error={line}");
        }
    }

    fn look(&self) -> Report {
        let mut report = Report::default();
        let folder = self.root.join(&self.folder);
        if !folder.is_dir() {
            report.errors.push(Error::NoFolder { path: folder.display().to_string() });
            return report;
        }
        let paths = sources::below(&self.root, &folder, &mut report.errors);
        let names: Vec<String> = paths.iter().map(|path| sources::shown(&self.root, path)).collect();
        let mut files = Vec::new();
        for path in paths {
            match File::read(&self.root, path) {
                Ok(file) => files.push(file),
                Err(error) => report.errors.push(error),
            }
        }
        let modules: Vec<_> = files.iter().map(|file| modules::declared(&file.path, &file.tokens)).collect();
        let of_tests = |path: &Path| modules.iter().flat_map(|of| &of.of_tests).any(|out| path.starts_with(out));
        let files: Vec<_> = files.into_iter().zip(&modules).filter(|(file, _)| !of_tests(&file.path)).collect();
        if self.every_job_listed {
            let mut jobs = Jobs::default();
            for (file, _) in &files {
                jobs.look(&file.name, file.tokens.clone());
            }
            report.findings.extend(jobs.unlisted().map(|(file, name)| Finding::new(&file, Kind::UnlistedJob, &name)));
        }
        for (file, modules) in files {
            let scan = Scan::new(items::unjudged, modules.names.clone()).run(file.tokens);
            let found = scan.found.into_iter().filter_map(kind::of);
            report.findings.extend(found.map(|(kind, word)| Finding::new(&file.name, kind, &word)));
            if scan.too_deep {
                report.errors.push(Error::TooDeep { path: file.name });
            }
        }
        report.findings.sort();
        allow::apply(&self.allowed, &names, &mut report);
        report
    }
}

/// For a build script: the build fails at what is retried, ticked or scheduled by hand below `src`, with file and line.
///
/// ```no_run
/// // In the `main` of `build.rs`:
/// steadfast_lint::deny_inline_retries();
/// ```
pub fn deny_inline_retries() {
    match env::var_os("CARGO_MANIFEST_DIR") {
        Some(package) => Lint::new(Path::new(&package)).deny(),
        None => println!("cargo::error={}", Error::NoPackage),
    }
}
