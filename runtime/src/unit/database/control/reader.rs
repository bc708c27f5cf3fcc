//! Reads as much SQL as is needed to find where statements begin, and no more.

/// How comments and strings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code)] // each by the engines that have it
pub(in crate::unit) enum Lexis {
    /// PostgreSQL and SQLite.
    Standard,
    /// `#` begins a comment, `--` only before a blank, and a backslash escapes, unless `sql_mode` says otherwise. What stands in
    /// `/*! … */` is run.
    MySql,
}

/// One reading of a text.
#[derive(Clone, Copy, Debug)]
pub(in crate::unit) struct Reader {
    lexis: Lexis,
    /// Whether a backslash in a string escapes what follows it.
    escapes: bool,
}

impl Reader {
    /// Every way in which the server may read the text: what one of them takes for a string can be a statement in the other.
    pub(super) fn readings(lexis: Lexis, sql: &str) -> impl Iterator<Item = Self> {
        let escapes = lexis == Lexis::MySql && sql.contains('\\');
        [Some(Self { lexis, escapes: false }), escapes.then_some(Self { lexis, escapes: true })].into_iter().flatten()
    }

    /// The first word, and what follows it and the blank behind it.
    pub(in crate::unit) fn word(self, sql: &str) -> (&str, &str) {
        let end = sql.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(sql.len());
        (&sql[..end], self.skip_blank(&sql[end..]))
    }

    /// An executable comment where it could hide a statement. Whether its content is run depends on the server's version, so
    /// neither reading of it would do: it may stand inside of the only statement and nowhere else.
    pub(super) fn executable_comment(self, sql: &str) -> Option<&'static str> {
        if self.lexis == Lexis::Standard {
            return None;
        }
        ["/*!", "/*M!"].into_iter().find(|comment| {
            sql.find(comment).is_some_and(|at| sql.contains(';') || self.skip_blank(&sql[..at]).is_empty())
        })
    }

    /// Skips white space, comments and empty statements. In PostgreSQL `/*` comments nest and a carriage return ends a line, in
    /// SQLite neither: the shorter reading is taken, since what follows it can only be looked at once too often.
    pub(in crate::unit) fn skip_blank(self, mut sql: &str) -> &str {
        loop {
            // SQLite takes a byte order mark for white space.
            sql = sql.trim_start_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '\x0b' | '\u{feff}' | ';'));
            if self.is_line_comment(sql) {
                sql = sql.find(['\n', '\r']).map_or("", |end| &sql[end..]);
            } else if let Some(comment) = sql.strip_prefix("/*") {
                sql = comment.find("*/").map_or("", |end| &comment[end + 2..]);
            } else {
                return sql;
            }
        }
    }

    fn is_line_comment(self, sql: &str) -> bool {
        match self.lexis {
            Lexis::Standard => sql.starts_with("--"),
            Lexis::MySql => {
                sql.starts_with('#')
                    || sql
                        .strip_prefix("--")
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c <= ' '))
            }
        }
    }

    /// What follows the statement that `sql` begins with.
    pub(super) fn after_statement(self, sql: &str) -> &str {
        let mut rest = sql;
        let trigger = self.is_trigger(sql);
        loop {
            rest = self.after_semicolon(rest);
            // The statements in the body of a trigger end with semicolons too, the last of them is followed by END.
            if !trigger || rest.is_empty() {
                return rest;
            }
            let next = self.skip_blank(rest);
            if self.word(next).0.eq_ignore_ascii_case("END") {
                return self.after_semicolon(next);
            }
        }
    }

    fn is_trigger(self, sql: &str) -> bool {
        let mut rest = sql;
        for expected in [&["CREATE"][..], &["TEMP", "TEMPORARY", "TRIGGER"], &["TRIGGER"]] {
            let (word, next) = self.word(rest);
            if super::one_of(expected, word).is_none() {
                return false;
            }
            if word.eq_ignore_ascii_case("TRIGGER") {
                return true;
            }
            rest = next;
        }
        false
    }

    /// What follows the next semicolon outside of quotes and comments.
    fn after_semicolon(self, sql: &str) -> &str {
        let bytes = sql.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            at = match bytes[at] {
                b';' => return &sql[at + 1..],
                quote @ (b'\'' | b'"' | b'`') => self.after_quoted(sql, at + 1, quote),
                b'[' if self.lexis == Lexis::Standard => after(sql, at + 1, "]"),
                b'$' | b'@' | b':' | b'#' if self.lexis == Lexis::Standard => after_variable(sql, at + 1),
                b'-' | b'#' if self.is_line_comment(&sql[at..]) => after(sql, at + 1, "\n"),
                b'/' if sql[at..].starts_with("/*") => after(sql, at + 2, "*/"),
                _ => at + 1,
            };
        }
        ""
    }

    /// The position behind the closing quote. A doubled quote is two strings side by side: the outcome is the same.
    fn after_quoted(self, sql: &str, from: usize, quote: u8) -> usize {
        let bytes = sql.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            at += match bytes[at] {
                byte if byte == quote => return at + 1,
                b'\\' if self.escapes && quote != b'`' => 2,
                _ => 1,
            };
        }
        bytes.len()
    }
}

/// SQLite's variables may end in parentheses, which hold anything but white space: `$name(it's)`.
fn after_variable(sql: &str, from: usize) -> usize {
    let name = sql[from..].find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '$'))).unwrap_or(0);
    let Some(inside) = sql[from + name..].strip_prefix('(') else { return from + name };
    let end = inside.find(|c: char| c == ')' || c.is_ascii_whitespace()).map_or(inside.len(), |end| end + 1);
    from + name + 1 + end
}

/// The position behind the next `end`.
fn after(sql: &str, from: usize, end: &str) -> usize {
    sql[from..].find(end).map_or(sql.len(), |at| from + at + end.len())
}
