//! One source file as tokens.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;

use super::error::Error;
use super::sources::shown;

pub(crate) struct File {
    pub(crate) path: PathBuf,
    /// The path from the package on, with `/`.
    pub(crate) name: String,
    pub(crate) tokens: TokenStream,
}

impl File {
    pub(crate) fn read(root: &Path, path: PathBuf) -> Result<Self, Error> {
        let name = shown(root, &path);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(source) => return Err(Error::Read { path: name, source }),
        };
        let Ok(text) = String::from_utf8(bytes) else { return Err(Error::NotText { path: name }) };
        match without_shebang(text).parse() {
            Ok(tokens) => Ok(Self { path, name, tokens }),
            Err(error) => {
                let start = proc_macro2::LexError::span(&error).start();
                Err(Error::NotTokens { path: name, line: start.line, column: start.column + 1 })
            }
        }
    }
}

/// `#!/usr/bin/env …` as a comment of the same length; `#![…]` is an attribute.
fn without_shebang(mut text: String) -> String {
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with("#!") && !first[2..].trim_start().starts_with('[') {
        text.replace_range(..2, "//");
    }
    text
}
