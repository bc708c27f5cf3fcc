//! What is allowed, each with its reason. An entry that allows nothing is an error, so that the list does not outlive what it is about.

use super::error::Error;
use super::finding::Finding;
use super::kind::Kind;
use super::report::Report;

#[derive(Clone, Debug)]
pub(crate) struct Allow {
    path: String,
    kind: Option<Kind>,
    reason: String,
}

impl Allow {
    pub(crate) fn new(path: &str, kind: Option<Kind>, reason: &str) -> Self {
        let path = path.replace('\\', "/");
        let path = path.trim_start_matches("./").trim_end_matches('/').to_owned();
        Self { path, kind, reason: reason.trim().to_owned() }
    }

    /// The file itself, or one in that folder.
    fn is_about(&self, path: &str) -> bool {
        path.strip_prefix(&self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn allows(&self, finding: &Finding) -> bool {
        self.is_about(finding.path()) && self.kind.is_none_or(|kind| kind == finding.kind())
    }

    /// A file that could not be looked at may be left out as a whole.
    fn leaves_out(&self, error: &Error) -> bool {
        self.kind.is_none() && error.unread().is_some_and(|path| self.is_about(path))
    }
}

/// Takes what is allowed out of the report, and adds what is wrong with the list.
pub(crate) fn apply(list: &[Allow], files: &[String], report: &mut Report) {
    let mut wrong = Vec::new();
    for entry in list {
        let path = || entry.path.clone();
        let used = report.findings.iter().any(|finding| entry.allows(finding))
            || report.errors.iter().any(|error| entry.leaves_out(error));
        if entry.reason.is_empty() {
            wrong.push(Error::NoReason { path: path() });
        }
        if !used && files.iter().any(|file| entry.is_about(file)) {
            wrong.push(Error::AllowsNothing { path: path(), kind: entry.kind });
        } else if !used {
            wrong.push(Error::AllowsNoFile { path: path() });
        }
    }
    report.findings.retain(|finding| !list.iter().any(|entry| entry.allows(finding)));
    report.errors.retain(|error| !list.iter().any(|entry| entry.leaves_out(error)));
    report.errors.extend(wrong);
}
