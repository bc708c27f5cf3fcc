//! Finds transaction control in a statement: the runtime owns BEGIN and COMMIT.
//!
//! This reads as much SQL as is needed to find where statements begin, and no more.

/// Why a text is not run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It would end or nest the transaction.
    Control(&'static str),
    /// It holds several statements.
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

/// Looks at what the body wants to send. `many`: whether the engine runs every statement of a text; elsewhere the server takes
/// one, and says so itself.
pub(super) fn examine(sql: &str, many: bool) -> Result<(), Refusal> {
    let first = skip_blank(sql);
    check_first_word(first)?;
    // Most statements end here: no semicolon.
    if !many || !first.contains(';') {
        return Ok(());
    }
    let second = skip_blank(after_statement(first));
    if second.is_empty() {
        return Ok(());
    }
    // Of the two refusals, the more telling one.
    check_first_word(second)?;
    Err(Refusal::Several)
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
    // It would switch off what makes the engine refuse the writes of a reading unit.
    if word.eq_ignore_ascii_case("PRAGMA") && sql.to_ascii_lowercase().contains("query_only") {
        return Err(Refusal::Control("PRAGMA query_only"));
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
            b'$' | b'@' | b':' | b'#' => after_variable(sql, at + 1),
            b'-' if sql[at..].starts_with("--") => after(sql, at + 2, "\n"),
            b'/' if sql[at..].starts_with("/*") => after(sql, at + 2, "*/"),
            _ => at + 1,
        };
    }
    ""
}

/// SQLite's variables may end in parentheses, which hold anything but white space: `$name(it's)`.
fn after_variable(sql: &str, from: usize) -> usize {
    let name = sql[from..].find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '$'))).unwrap_or(0);
    let Some(inside) = sql[from + name..].strip_prefix('(') else { return from + name };
    let end = inside.find(|c: char| c == ')' || c.is_ascii_whitespace()).map_or(inside.len(), |end| end + 1);
    from + name + 1 + end
}

/// The position behind the next `end`. A doubled quote is two strings side by side: the outcome is the same.
fn after(sql: &str, from: usize, end: &str) -> usize {
    sql[from..].find(end).map_or(sql.len(), |at| from + at + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "pragma main.QUERY_ONLY = off",
        ] {
            for many in [true, false] {
                assert!(matches!(examine(sql, many), Err(Refusal::Control(_))), "{sql:?}");
            }
        }
        for sql in [
            "insert into t values (1); commit",
            "insert into t values ('a;b'); commit",
            "insert into t values ('it''s'); commit",
            "insert into [a;b] values (1) -- ; \n ; commit",
            "insert into \"a;b\" values (1); /* ; */ commit",
            "create trigger r after insert on t begin update t set a = 1; end; commit",
            "select $1('); commit; begin",
            "select @a::b('); commit",
        ] {
            assert!(matches!(examine(sql, true), Err(Refusal::Control(_))), "{sql:?}");
            assert_eq!(examine(sql, false), Ok(()), "the server takes one statement: {sql:?}");
        }
    }

    #[test]
    fn several_statements_are_refused() {
        for sql in ["update t set a = 1; update t set b = 2", "select ?1; select $2", "select :a; select 'unterminated"]
        {
            assert_eq!(examine(sql, true), Err(Refusal::Several), "{sql:?}");
        }
    }

    #[test]
    fn one_statement_passes() {
        for sql in [
            "",
            "select 1",
            "select 1;",
            "select 1; -- done\n",
            "insert into commits values ('commit')",
            "insert into t values ('; commit')",
            "begin_ner",
            "prepare p as select 1",
            "create temp trigger r after insert on t begin update t set a = 1; delete from u; end",
            "with x as (select 1) insert into t select * from x",
            "select 'unterminated; commit",
            "select $1, :name, @x::y, a->'$.b;c' from t",
            "update t set a = ';'; -- end",
            "pragma table_info(t)",
        ] {
            assert_eq!(examine(sql, true), Ok(()), "{sql:?}");
        }
    }
}
