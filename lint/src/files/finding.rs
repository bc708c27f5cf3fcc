//! One finding, with its place.

use std::fmt;

use proc_macro2::Ident;

use super::kind::Kind;

/// One finding in a source file. It reads `path:line:column: message`.
///
/// ```no_run
/// for finding in steadfast_lint::Lint::new(env!("CARGO_MANIFEST_DIR")).report().findings {
///     eprintln!("{}: {finding}", finding.kind());
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    path: String,
    line: usize,
    column: usize,
    kind: Kind,
    word: String,
}

impl Finding {
    pub(crate) fn new(path: &str, kind: Kind, word: &Ident) -> Self {
        let start = word.span().start();
        Self { path: path.to_owned(), line: start.line, column: start.column + 1, kind, word: word.to_string() }
    }

    /// The file, from the folder of the package on, with `/` between its parts.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column in characters, from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The word that shows it.
    #[must_use]
    pub fn word(&self) -> &str {
        &self.word
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.path, self.line, self.column, self.kind.message(&self.word))
    }
}
