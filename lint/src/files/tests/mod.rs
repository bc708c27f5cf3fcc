//! The lint on small packages that a test writes.

mod allowed;
mod jobs;
mod odd;
mod skipped;

use std::fs;

use tempfile::TempDir;

use super::{Lint, Report};

/// A package with these files.
struct Package(TempDir);

impl Package {
    fn new(files: &[(&str, &str)]) -> Self {
        let package = Self(TempDir::new().expect("a folder"));
        for (path, text) in files {
            package.write(path, text.as_bytes());
        }
        package
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().expect("a file stands in a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    fn lint(&self) -> Lint {
        Lint::new(self.0.path())
    }

    fn report(&self) -> Report {
        self.lint().report()
    }
}

/// The findings of one file as `line:column kind`.
fn found(text: &str) -> Vec<String> {
    let report = Package::new(&[("src/lib.rs", text)]).report();
    assert!(report.errors.is_empty(), "{report}");
    report.findings.iter().map(|found| format!("{}:{} {}", found.line(), found.column(), found.kind())).collect()
}

/// A line of the report begins with this.
#[track_caller]
fn says(report: &Report, parts: &[&str]) {
    let lines: Vec<_> = report.lines().collect();
    assert!(
        lines.iter().any(|line| parts.iter().all(|part| line.contains(part))),
        "no line says {parts:?}: {lines:#?}"
    );
    for line in lines {
        assert!(!line.ends_with('.') && line.contains("; ") && !line.contains('\n'), "not in house style: {line}");
    }
}
