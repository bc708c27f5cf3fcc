//! All that was found, and all that was not looked at.

use std::fmt;

use super::error::Error;
use super::finding::Finding;

/// All that was found and is not allowed, and what keeps the lint from saying that this is all. It reads one line each.
///
/// ```
/// use steadfast_lint::Lint;
///
/// let report = Lint::new(env!("CARGO_MANIFEST_DIR")).report();
/// assert!(report.is_clean(), "{report}");
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// In the order of files and lines.
    pub findings: Vec<Finding>,
    /// Files that could not be looked at, and entries of the list that allow nothing.
    pub errors: Vec<Error>,
}

impl Report {
    /// Nothing is found, and everything was looked at.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.errors.is_empty()
    }

    /// One line for each finding and each error.
    ///
    /// ```
    /// assert_eq!(steadfast_lint::Lint::new("no/such/package").report().lines().count(), 1);
    /// ```
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let findings = self.findings.iter().map(ToString::to_string);
        findings.chain(self.errors.iter().map(ToString::to_string))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, line) in self.lines().enumerate() {
            write!(f, "{}{line}", if number == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}
