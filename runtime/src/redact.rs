//! Error texts as they may be logged: one line, bounded, without addresses.
//!
//! An error's `Display` can hold a URL with a password or a token (`reqwest::Error` prints the query string). Its
//! `Debug` is worse: sqlx prints PostgreSQL's DETAIL, which holds row values. So only `Display` is taken, along the
//! chain of sources, and what follows `://` is dropped.
//!
//! PostgreSQL's messages of class 22, data exceptions, quote a value as well: `invalid input syntax for type bigint: "…"`.
//! Such a message is withheld, and so is every one of MySQL's: its code says enough.

use std::{
    error::Error,
    fmt::{self, Write as _},
};

/// Longest text of an error in a log line, in bytes.
const LONGEST: usize = 1024;

/// How many errors of a chain are looked at.
const DEEPEST: usize = 32;

/// What stands where a database's message stood.
const WITHHELD: &str = "<message withheld: it quotes a value>";

/// Displays an error and its sources, `outer: inner`, fit for a log line.
pub(crate) struct Redacted<'a>(pub(crate) &'a (dyn Error + 'static));

impl fmt::Display for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = Line { out: f, left: LONGEST, tail: [' '; 3], in_address: false };
        // The line ends early when it is full; that is no failure of the formatter.
        let _full = match quoting_message(self.0) {
            None => write!(line, "{}", Chain(self.0)),
            Some(message) => line.write_str(&Chain(self.0).to_string().replace(message, WITHHELD)),
        };
        if line.left == 0 { f.write_str("…") } else { Ok(()) }
    }
}

/// `outer: inner`, as it is.
struct Chain<'a>(&'a (dyn Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = self.0.to_string();
        f.write_str(&told)?;
        for source in sources(self.0).skip(1) {
            let text = source.to_string();
            // Many errors show their source themselves.
            if !told.ends_with(&text) {
                write!(f, ": {text}")?;
            }
            told = text;
        }
        Ok(())
    }
}

/// The error and its sources. An error that is its own source has no end.
fn sources<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source()).take(DEEPEST)
}

/// SQLSTATE, SQLite's code or MySQL's number of the database error in a chain, if there is one.
#[cfg(feature = "_database")]
pub(crate) fn database_code(error: &(dyn Error + 'static)) -> Option<String> {
    crate::unit::code_of(database_error(error)?).map(std::borrow::Cow::into_owned)
}

#[cfg(feature = "_database")]
fn quoting_message<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a str> {
    let error = database_error(error)?;
    (crate::unit::quotes_values(error) && !error.message().is_empty()).then(|| error.message())
}

/// An error that is transparent for sqlx's own hides that one: its source is what sqlx's error holds.
#[cfg(feature = "_database")]
fn database_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a dyn sqlx::error::DatabaseError> {
    sources(error).find_map(|error| match driver_error(error) {
        Some(error) => error.as_database_error(),
        None => error.downcast_ref::<Box<dyn sqlx::error::DatabaseError>>().map(|error| &**error),
    })
}

#[cfg(feature = "_database")]
fn driver_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a sqlx::Error> {
    #[cfg(feature = "sea-orm")]
    if let Some(beneath) = crate::unit::beneath(error) {
        return Some(beneath);
    }
    error.downcast_ref()
}

#[cfg(not(feature = "_database"))]
pub(crate) fn database_code(_: &(dyn Error + 'static)) -> Option<String> {
    None
}

#[cfg(not(feature = "_database"))]
fn quoting_message<'a>(_: &'a (dyn Error + 'static)) -> Option<&'a str> {
    None
}

/// The same for a text that is no error, such as the message of a panic.
pub(crate) struct RedactedText<'a>(pub(crate) &'a str);

impl fmt::Display for RedactedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = Line { out: f, left: LONGEST, tail: [' '; 3], in_address: false };
        let _full = line.write_str(self.0);
        if line.left == 0 { f.write_str("…") } else { Ok(()) }
    }
}

struct Line<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    left: usize,
    /// The last three characters, to see `://` across two writes.
    tail: [char; 3],
    in_address: bool,
}

impl fmt::Write for Line<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for mut c in text.chars() {
            if c.is_control() {
                // A line break would let an error text forge a log line of its own.
                c = ' ';
            }
            if self.in_address {
                if !(c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | ')' | ']' | '}')) {
                    continue;
                }
                self.in_address = false;
            }
            if c.len_utf8() > self.left {
                self.left = 0;
                return Err(fmt::Error);
            }
            self.left -= c.len_utf8();
            self.out.write_char(c)?;
            self.tail = [self.tail[1], self.tail[2], c];
            if self.tail == [':', '/', '/'] {
                self.in_address = true;
                self.out.write_char('…')?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Told(&'static str, Option<Box<Told>>);
    impl fmt::Display for Told {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }
    impl Error for Told {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_ref().map(|inner| &**inner as _)
        }
    }

    #[test]
    fn sources_follow_and_addresses_go() {
        let inner = Told("cannot reach 'postgres://app:hunter2@db:5432/shop?password=x' now\nERROR forged", None);
        let text = Redacted(&Told("job failed", Some(Box::new(inner)))).to_string();
        assert_eq!(text, "job failed: cannot reach 'postgres://…' now ERROR forged");
        assert_eq!(RedactedText("see https://u:p@x/y").to_string(), "see https://…");
    }

    #[test]
    fn an_error_that_is_its_own_source_ends() {
        #[derive(Debug)]
        struct Round;
        impl fmt::Display for Round {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("round")
            }
        }
        impl Error for Round {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(self)
            }
        }
        assert_eq!(database_code(&Round), None);
        assert_eq!(Redacted(&Round).to_string(), "round");
        assert_eq!(sources(&Round).count(), DEEPEST);
    }

    #[test]
    fn a_source_that_its_error_shows_is_shown_once() {
        let inner = Told("disk full", None);
        let outer = Told("cannot save: disk full", Some(Box::new(inner)));
        assert_eq!(
            Redacted(&Told("job failed", Some(Box::new(outer)))).to_string(),
            "job failed: cannot save: disk full"
        );
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let long = "é".repeat(5000);
        let text = RedactedText(&long).to_string();
        assert_eq!(text, format!("{}…", "é".repeat(512)));
    }
}
