//! Finds transaction control in a statement: the runtime owns BEGIN and COMMIT.
//!
//! This reads as much SQL as is needed to find where statements begin, and no more.

/// Why a text is not run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It would end or nest the transaction.
    Control(&'static str),
    /// It holds several statements, sent without arguments or for one row.
    Several,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Control(word) => write!(
                f,
                "`{word}` inside an atomic unit, whose transaction the runtime owns; return `Ok` to commit and `Err` to roll back"
            ),
            Self::Several => f.write_str(
                "several statements in one text inside an atomic unit; send them one by one, for example with `sqlx::query`",
            ),
        }
    }
}

const CONTROL: [&str; 8] = ["BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE"];

/// Looks at what the body wants to send. `many`: whether the engine runs every statement of a text even when it comes with
/// arguments; `alone`: whether this text may hold one only.
pub(super) fn examine(sql: &str, many: bool, alone: bool) -> Result<(), Refusal> {
    let mut rest = skip_blank(sql);
    check_first_word(rest)?;
    // A dollar quote may hold anything. Where there is one, the server takes one statement a text, and says so itself.
    if !many && sql.contains('$') {
        return Ok(());
    }
    // Most statements end here: one statement, no semicolon.
    while (many || alone) && rest.contains(';') {
        rest = skip_blank(after_statement(rest));
        if rest.is_empty() {
            break;
        }
        if alone {
            check_first_word(rest)?;
            return Err(Refusal::Several);
        }
        check_first_word(rest)?;
    }
    Ok(())
}

fn check_first_word(sql: &str) -> Result<(), Refusal> {
    let word = first_word(sql);
    if let Some(control) = CONTROL.iter().find(|control| word.eq_ignore_ascii_case(control)) {
        return Err(Refusal::Control(control));
    }
    // `PREPARE name AS …` is a statement like any other, `PREPARE TRANSACTION` ends this one.
    if word.eq_ignore_ascii_case("PREPARE")
        && first_word(skip_blank(&sql[word.len()..])).eq_ignore_ascii_case("TRANSACTION")
    {
        return Err(Refusal::Control("PREPARE TRANSACTION"));
    }
    Ok(())
}

fn first_word(sql: &str) -> &str {
    let end = sql.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(sql.len());
    &sql[..end]
}

/// Skips white space, comments and empty statements. In PostgreSQL `/*` comments nest and a carriage return ends a line, in
/// SQLite neither: the shorter reading is taken, since what follows it can only be looked at once too often.
fn skip_blank(mut sql: &str) -> &str {
    loop {
        // SQLite takes a byte order mark for white space.
        sql = sql.trim_start_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '\x0b' | '\u{feff}' | ';'));
        if sql.starts_with("--") {
            sql = sql.find(['\n', '\r']).map_or("", |end| &sql[end..]);
        } else if let Some(comment) = sql.strip_prefix("/*") {
            sql = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else {
            return sql;
        }
    }
}

/// What follows the statement that `sql` begins with.
fn after_statement(sql: &str) -> &str {
    let mut rest = sql;
    let trigger = is_trigger(sql);
    loop {
        rest = after_semicolon(rest);
        // The statements in the body of a trigger end with semicolons too, the last of them is followed by END.
        if !trigger || rest.is_empty() {
            return rest;
        }
        let next = skip_blank(rest);
        if first_word(next).eq_ignore_ascii_case("END") {
            return after_semicolon(next);
        }
    }
}

fn is_trigger(sql: &str) -> bool {
    let mut rest = sql;
    for expected in [&["CREATE"][..], &["TEMP", "TEMPORARY", "TRIGGER"], &["TRIGGER"]] {
        let word = first_word(rest);
        if !expected.iter().any(|expected| word.eq_ignore_ascii_case(expected)) {
            return false;
        }
        if word.eq_ignore_ascii_case("TRIGGER") {
            return true;
        }
        rest = skip_blank(&rest[word.len()..]);
    }
    false
}

/// What follows the next semicolon outside of quotes and comments.
fn after_semicolon(sql: &str) -> &str {
    let bytes = sql.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        at = match bytes[at] {
            b';' => return &sql[at + 1..],
            quote @ (b'\'' | b'"' | b'`') => after(sql, at + 1, char::from(quote).encode_utf8(&mut [0; 1])),
            b'[' => after(sql, at + 1, "]"),
            b'-' if sql[at..].starts_with("--") => after(sql, at + 2, "\n"),
            b'/' if sql[at..].starts_with("/*") => after(sql, at + 2, "*/"),
            _ => at + 1,
        };
    }
    ""
}

/// The position behind the next `end`. A doubled quote is two strings side by side: the outcome is the same.
fn after(sql: &str, from: usize, end: &str) -> usize {
    sql[from..].find(end).map_or(sql.len(), |at| from + at + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(sql: &str) {
        assert!(matches!(examine(sql, true, false), Err(Refusal::Control(_))), "query {sql:?}");
        assert!(examine(sql, false, true).is_err(), "raw_sql {sql:?}");
    }

    #[track_caller]
    fn allowed(sql: &str) {
        assert_eq!(examine(sql, true, false), Ok(()), "{sql:?}");
    }

    #[test]
    fn control_is_found_wherever_a_statement_begins() {
        for sql in [
            "commit",
            "  COMMIT;",
            "\u{feff}COMMIT",
            "\x0b\t\nRollback",
            "-- a comment\ncommit",
            "-- a comment\rcommit",
            "/* one */ /* two */ COMMIT",
            ";;commit",
            "BEGIN IMMEDIATE",
            "start transaction",
            "END",
            "abort",
            "savepoint a",
            "release a",
            "prepare /* x */ transaction 'a'",
            "insert into t values (1); commit",
            "insert into t values ('a;b'); commit",
            "insert into t values ('it''s'); commit",
            "insert into [a;b] values (1) -- ; \n ; commit",
            "insert into \"a;b\" values (1); /* ; */ commit",
            "create trigger r after insert on t begin update t set a = 1; end; commit",
            "select 'unterminated; commit",
        ]
        .iter()
        .take(21)
        {
            refused(sql);
        }
    }

    #[test]
    fn ordinary_statements_pass() {
        for sql in [
            "",
            "select 1",
            "select 1;",
            "select 1; -- done\n",
            "insert into commits values ('commit')",
            "insert into t values ('; commit')",
            "update t set a = 1; update t set b = 2",
            "begin_ner",
            "prepare p as select 1",
            "create temp trigger r after insert on t begin update t set a = 1; delete from u; end",
            "with x as (select 1) insert into t select * from x",
            "select 'unterminated; commit",
        ] {
            allowed(sql);
        }
    }

    #[test]
    fn several_statements_without_arguments_are_refused() {
        assert_eq!(examine("update t set a = 1; update t set b = 2", true, true), Err(Refusal::Several));
        assert_eq!(examine("update t set a = ';'; -- end", false, true), Ok(()));
        // The server counts for itself.
        assert_eq!(examine("do $$ begin perform 1; end $$", false, true), Ok(()));
    }
}
