//! What keeps the lint from saying that a crate is clean.

use std::{fmt, io};

use super::kind::Kind;

/// What keeps the lint from saying that a crate is clean: a file that it could not look at, or an entry of its list that allows
/// nothing.
///
/// ```
/// use steadfast_lint::{Error, Lint};
///
/// let report = Lint::new("no/such/package").report();
/// assert!(matches!(&report.errors[..], [Error::NoFolder { .. }]));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// `CARGO_MANIFEST_DIR` is not set: this is no build script.
    NoPackage,
    /// The folder of the sources is absent.
    NoFolder {
        /// The folder.
        path: String,
    },
    /// A file or folder could not be read.
    Read {
        /// The file or folder.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A source file is not UTF-8.
    NotText {
        /// The file.
        path: String,
    },
    /// A source file is not made of Rust's tokens.
    NotTokens {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
    },
    /// A source file nests deeper than anybody writes.
    TooDeep {
        /// The file.
        path: String,
    },
    /// An entry of the list of what is allowed has no reason.
    NoReason {
        /// Its path.
        path: String,
    },
    /// An entry of the list names no source file.
    AllowsNoFile {
        /// Its path.
        path: String,
    },
    /// An entry of the list names a file in which nothing of its kind is found.
    AllowsNothing {
        /// Its path.
        path: String,
        /// Its kind, if it has one.
        kind: Option<Kind>,
    },
}

impl Error {
    /// The file or folder that could not be looked at.
    pub(crate) fn unread(&self) -> Option<&str> {
        match self {
            Self::Read { path, .. }
            | Self::NotText { path }
            | Self::NotTokens { path, .. }
            | Self::TooDeep { path } => Some(path),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPackage => f.write_str(
                "`CARGO_MANIFEST_DIR` is not set, so there is no package to look at; call this from `build.rs`, or name the folder, for \
                 example `Lint::new(env!(\"CARGO_MANIFEST_DIR\"))`",
            ),
            Self::NoFolder { path } => write!(
                f,
                "`{path}` is no folder, so no source was looked at; name the folder of the package, or that of its sources, for example \
                 `.folder(\"lib\")`"
            ),
            Self::Read { path, source } => write!(f, "{path}: cannot be read: {source}; mend that, or allow the path with a reason"),
            Self::NotText { path } => write!(f, "{path}: is not UTF-8, so nothing was looked at; mend it, or allow the path with a reason"),
            Self::NotTokens { path, line, column } => write!(
                f,
                "{path}:{line}:{column}: is not made of Rust's tokens, so nothing in the file was looked at; mend it, or allow the path \
                 with a reason"
            ),
            Self::TooDeep { path } => {
                write!(f, "{path}: nests too deep to be looked at as a whole; split it, or allow the path with a reason")
            }
            Self::NoReason { path } => write!(
                f,
                "`{path}` is allowed without a reason; say why, for example `.allow(\"{path}\", \"the driver paces its own device\")`"
            ),
            Self::AllowsNoFile { path } => {
                write!(f, "`{path}` is allowed, and there is no such source file; remove the entry, or mend its path")
            }
            Self::AllowsNothing { path, kind: None } => {
                write!(f, "`{path}` is allowed, and nothing is found there; remove the entry")
            }
            Self::AllowsNothing { path, kind: Some(kind) } => {
                write!(f, "`{path}` is allowed a {kind}, and none is found there; remove the entry")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}
