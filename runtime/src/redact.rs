//! Error texts as they may be logged: one line, bounded, without addresses.
//!
//! An error's `Display` can hold a URL with a password or a token (`reqwest::Error` prints the query string). Its
//! `Debug` is worse: sqlx prints PostgreSQL's DETAIL, which holds row values. So only `Display` is taken, along the
//! chain of sources, and what follows `://` is dropped.

use std::{
    error::Error,
    fmt::{self, Write as _},
};

/// Longest text of an error in a log line, in bytes.
const LONGEST: usize = 1024;

/// Displays an error and its sources, `outer: inner`, fit for a log line.
pub(crate) struct Redacted<'a>(pub(crate) &'a dyn Error);

impl fmt::Display for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = Line { out: f, left: LONGEST, tail: [' '; 3], in_address: false };
        // The line ends early when it is full; that is no failure of the formatter.
        let mut written = write!(line, "{}", self.0);
        let mut source = self.0.source();
        while let (Some(error), Ok(())) = (source, written) {
            written = write!(line, ": {error}");
            source = error.source();
        }
        if line.left == 0 { f.write_str("…") } else { Ok(()) }
    }
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
    fn long_texts_are_cut_between_characters() {
        let long = "é".repeat(5000);
        let text = RedactedText(&long).to_string();
        assert_eq!(text, format!("{}…", "é".repeat(512)));
    }
}
