//! Names of tables that an application may choose.

use std::{borrow::Cow, fmt};

/// PostgreSQL cuts a longer name off without a word; MySQL takes 64.
const LONGEST: usize = 63;

/// The name of a table, with its schema if it has one: each part `[a-z_][a-z0-9_]*`, so that it means the same quoted and unquoted
/// and can be no SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table(Cow<'static, str>);

impl Table {
    /// A name of our own.
    pub(crate) const fn ours(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// A name that an application chose.
    pub(crate) fn parse(name: &str) -> Result<Self, InvalidTableName> {
        let is_name = |part: &str| {
            let first = part.bytes().next();
            first.is_some_and(|byte| !byte.is_ascii_digit())
                && part.len() <= LONGEST
                && part.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        };
        let parts = name.split('.').count();
        if parts > 2 || !name.split('.').all(is_name) {
            return Err(InvalidTableName(name.chars().take(2 * LONGEST).collect()));
        }
        Ok(Self(Cow::Owned(name.to_owned())))
    }

    /// As it was given, for people.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// In a statement, each part between two of these.
    pub(crate) fn quoted(&self, quote: char) -> String {
        quoted(&self.0, quote)
    }
}

/// Any name in a statement, also one that nobody has looked at.
pub(crate) fn quoted(name: &str, quote: char) -> String {
    let twice = format!("{quote}{quote}");
    let parts: Vec<_> = name.split('.').map(|part| format!("{quote}{}{quote}", part.replace(quote, &twice))).collect();
    parts.join(".")
}

/// A name that a table cannot have: what `table(…)` of a store refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTableName(String);

impl fmt::Display for InvalidTableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` cannot be the name of a table; use lower-case letters, digits and `_`, at most {LONGEST} bytes, with a schema in front \
             if need be, for example `ops.jobs_leases`",
            self.0.escape_debug()
        )
    }
}

impl std::error::Error for InvalidTableName {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_name_is_refused() {
        let longest = "a".repeat(LONGEST);
        for name in ["leases", "ops.leases", "_x1", &longest, &format!("{longest}.{longest}")] {
            assert_eq!(Table::parse(name).expect(name).as_str(), name);
        }
        let longer = "a".repeat(LONGEST + 1);
        for name in [
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "a.b.c",
            "1a",
            "a.1",
            "Leases",
            "a-b",
            "a b",
            "a\"b",
            "a`b",
            "a'b",
            "a;b",
            "ä",
            "a\0",
            "a\n",
            " a",
            "a ",
            &longer,
            &format!("a.{longer}"),
        ] {
            assert!(Table::parse(name).is_err(), "{name:?}");
        }
        let told = Table::parse("x\n; drop table users").unwrap_err().to_string();
        assert!(told.starts_with(r"`x\n; drop table users` cannot be") && told.contains("`ops.jobs_leases`"), "{told}");
    }

    #[test]
    fn each_part_is_quoted() {
        assert_eq!(Table::parse("ops.leases").expect("a name").quoted('"'), "\"ops\".\"leases\"");
        assert_eq!(Table::ours("jobs_leases").quoted('`'), "`jobs_leases`");
        assert_eq!(quoted("a\"; drop table users", '"'), "\"a\"\"; drop table users\"");
    }
}
