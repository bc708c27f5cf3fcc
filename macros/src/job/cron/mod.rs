//! Cron lines in the subset that every parser reads alike: five fields, UTC, weekdays by name.
//!
//! Depends on nothing but `std`, so that the tests can compare it with other crates' parsers by including it.
//! A line becomes five bit masks and one canonical text.

mod calendar;
mod dialect;
mod field;
mod line;

use field::{DAY, Field, HOUR, MINUTE, MONTH, Parsed, WEEKDAY};

/// Nobody writes more; it bounds all work below.
const MAX_BYTES: usize = 256;

/// A line that means the same everywhere and fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cron {
    /// Bit n is minute n.
    pub(crate) minute: u64,
    /// Bit n is hour n.
    pub(crate) hour: u32,
    /// Bit n is day n of the month, 1 to 31.
    pub(crate) day: u32,
    /// Bit n is month n, 1 to 12.
    pub(crate) month: u16,
    /// Bit 0 is Sunday.
    pub(crate) weekday: u8,
    /// Single spaces, upper-case names, sorted lists without repetitions.
    pub(crate) text: String,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CronError {
    /// "problem; fix", lower case, no full stop.
    pub(crate) message: String,
    /// The part of the line that it is about.
    pub(crate) token: String,
}

impl CronError {
    fn new(token: &str, message: String) -> Self {
        Self { message, token: token.to_owned() }
    }
}

impl Cron {
    /// Reads a line; all that is wrong with it at once.
    pub(crate) fn parse(text: &str) -> Result<Self, Vec<CronError>> {
        if text.len() > MAX_BYTES {
            let message =
                format!("this cron line has {} bytes, at most {MAX_BYTES} are read; write fewer values", text.len());
            return Err(vec![CronError::new("", message)]);
        }
        let tokens: Vec<&str> = text.split_ascii_whitespace().collect();
        let Ok::<[&str; 5], _>(fields) = tokens.as_slice().try_into() else {
            return Err(vec![line::no_five_fields(text, &tokens)]);
        };
        if let Some(error) = line::zone(fields[0]) {
            return Err(vec![error]);
        }
        let mut errors = Vec::new();
        let mut read = |field: &Field, token: &str| match field.parse(token) {
            Ok(parsed) => parsed,
            Err(mut more) => {
                errors.append(&mut more);
                Parsed::any()
            }
        };
        let minute = read(&MINUTE, fields[0]);
        let hour = read(&HOUR, fields[1]);
        let day = read(&DAY, fields[2]);
        let month = read(&MONTH, fields[3]);
        let weekday = read(&WEEKDAY, fields[4]);
        if !errors.is_empty() {
            return Err(errors);
        }
        if fields[2] != "*" && fields[4] != "*" {
            return Err(vec![line::day_and_weekday(&[&minute, &hour, &day, &month, &weekday])]);
        }
        let text = [&minute, &hour, &day, &month, &weekday].map(|parsed| parsed.text.as_str()).join(" ");
        let cron = Self {
            minute: minute.mask,
            hour: narrow(hour.mask),
            day: narrow(day.mask),
            month: narrow(month.mask),
            weekday: narrow(weekday.mask),
            text,
        };
        match cron.shortest_gap() {
            Some(_) => Ok(cron),
            None => Err(vec![line::never_fires(&day.text, &month.text)]),
        }
    }

    /// The fewest minutes between two slots, `None` for a line that never fires.
    pub(crate) fn shortest_gap(&self) -> Option<u32> {
        calendar::shortest_gap(self)
    }
}

/// A mask whose field fits into fewer bits.
fn narrow<T: TryFrom<u64> + Default>(mask: u64) -> T {
    T::try_from(mask).unwrap_or_default()
}
