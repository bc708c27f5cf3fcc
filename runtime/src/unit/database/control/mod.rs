//! Finds transaction control in a statement: the runtime owns BEGIN and COMMIT.

mod reader;

pub(super) use reader::{Lexis, Reader};

/// How an engine reads a text, and which statements end a transaction there besides COMMIT and its like.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Whether the engine runs every statement of a text that comes with arguments. Elsewhere the server takes one, and says so
    /// itself.
    pub(super) many: bool,
    /// Whether one statement may hold others, as `IF … THEN COMMIT; END IF` does.
    pub(super) compound: bool,
    pub(super) lexis: Lexis,
    /// Looks at one statement, given from its first word on.
    pub(super) refuses: fn(Reader, &str) -> Option<Refusal>,
}

/// Why a text is not run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It would end or nest the transaction.
    Control(&'static str),
    /// It would commit on the way.
    #[allow(dead_code)] // by the engines that do so
    Implicit(&'static str),
    /// What it runs cannot be looked at.
    Hidden(&'static str),
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
            Self::Implicit(word) => write!(
                f,
                "`{word}` commits implicitly on this database, so inside an atomic unit it would end the transaction; run it outside of \
                 the unit"
            ),
            Self::Hidden(word) => write!(
                f,
                "`{word}` inside an atomic unit hides what is run, which could be a COMMIT; send the statement itself"
            ),
            Self::Several => f.write_str(
                "several statements in one text inside an atomic unit; send them one by one, for example with `sqlx::query`",
            ),
        }
    }
}

/// What ends or nests a transaction on every engine.
pub(super) const CONTROL: [&str; 8] = ["BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE"];

/// Looks at what the body wants to send.
pub(super) fn examine(sql: &str, dialect: &Dialect) -> Result<(), Refusal> {
    for reader in Reader::readings(dialect.lexis, sql) {
        examine_as(reader, sql, dialect)?;
    }
    Ok(())
}

fn examine_as(reader: Reader, sql: &str, dialect: &Dialect) -> Result<(), Refusal> {
    if let Some(comment) = reader.executable_comment(sql) {
        return Err(Refusal::Hidden(comment));
    }
    let first = reader.skip_blank(sql);
    statement(reader, first, dialect)?;
    // Most statements end here: no semicolon.
    if !(dialect.many || dialect.compound) || !first.contains(';') {
        return Ok(());
    }
    let second = reader.skip_blank(reader.after_statement(first));
    if second.is_empty() {
        return Ok(());
    }
    // Of the two refusals, the more telling one.
    statement(reader, second, dialect)?;
    Err(Refusal::Several)
}

fn statement(reader: Reader, sql: &str, dialect: &Dialect) -> Result<(), Refusal> {
    let (word, rest) = reader.word(sql);
    if let Some(control) = one_of(&CONTROL, word) {
        return Err(Refusal::Control(control));
    }
    // `PREPARE name AS …` is a statement like any other, `PREPARE TRANSACTION` ends this one.
    if word.eq_ignore_ascii_case("PREPARE") && reader.word(rest).0.eq_ignore_ascii_case("TRANSACTION") {
        return Err(Refusal::Control("PREPARE TRANSACTION"));
    }
    (dialect.refuses)(reader, sql).map_or(Ok(()), Err)
}

/// The word of the list that this is, whatever its case.
pub(super) fn one_of(words: &[&'static str], word: &str) -> Option<&'static str> {
    words.iter().find(|one| word.eq_ignore_ascii_case(one)).copied()
}

#[cfg(test)]
mod tests;
