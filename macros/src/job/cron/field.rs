//! One field of a line: `*`, `*/n`, or a list of values and ascending ranges.

use super::CronError;
use super::dialect;

/// A line has five; more items than minutes are a paste gone wrong.
const MAX_ITEMS: usize = 60;

pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) min: u8,
    pub(super) max: u8,
    /// The names of the values from `min` on; empty where there are none.
    pub(super) names: &'static [&'static str],
    /// Whether values may be written as numbers.
    pub(super) numbers: bool,
}

pub(super) const MINUTE: Field = Field { name: "minute", min: 0, max: 59, names: &[], numbers: true };
pub(super) const HOUR: Field = Field { name: "hour", min: 0, max: 23, names: &[], numbers: true };
pub(super) const DAY: Field = Field { name: "day of month", min: 1, max: 31, names: &[], numbers: true };
pub(super) const MONTH: Field = Field {
    name: "month",
    min: 1,
    max: 12,
    names: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
    numbers: true,
};
/// Numbers are what the dialects disagree about: Sunday is 0, 1 or 7.
pub(super) const WEEKDAY: Field = Field {
    name: "weekday",
    min: 0,
    max: 6,
    names: &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
    numbers: false,
};

/// A field that has been read.
pub(super) struct Parsed {
    pub(super) mask: u64,
    pub(super) text: String,
}

impl Parsed {
    /// In place of a field with an error.
    pub(super) fn any() -> Self {
        Self { mask: u64::MAX, text: "*".to_owned() }
    }
}

/// `v`, `v-v` or `v-v/n`, reduced to what it reaches.
struct Item {
    first: u8,
    last: u8,
    step: u8,
    named: bool,
}

impl Field {
    pub(super) fn parse(&self, token: &str) -> Result<Parsed, Vec<CronError>> {
        let one = |error| vec![error];
        if token == "*" {
            return Ok(Parsed { mask: mask(self.min, self.max, 1), text: "*".to_owned() });
        }
        if let Some(step) = token.strip_prefix("*/") {
            let step = self.step(token, step).map_err(one)?;
            let text = if step == 1 { "*".to_owned() } else { format!("*/{step}") };
            return Ok(Parsed { mask: mask(self.min, self.max, step), text });
        }
        let parts: Vec<&str> = token.split(',').collect();
        if parts.len() > MAX_ITEMS {
            let message = format!(
                "the list in {} has {} items, at most {MAX_ITEMS} are read; write ranges, for example `{}-{}`",
                self.name,
                parts.len(),
                self.min,
                self.max
            );
            return Err(one(CronError::new(token, message)));
        }
        let (mut items, mut errors) = (Vec::new(), Vec::new());
        for part in parts {
            match self.item(part) {
                Ok(item) => items.push(item),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(self.join(items)) } else { Err(errors) }
    }

    fn item(&self, part: &str) -> Result<Item, CronError> {
        if let Some(error) = dialect::foreign(self, part) {
            return Err(error);
        }
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(self.step(part, step)?)),
            None => (part, None),
        };
        let Some((first, last)) = range.split_once('-') else {
            let (value, named) = self.value(part, range)?;
            return match step {
                Some(step) => Err(dialect::step_of_value(self, part, range, step)),
                None => Ok(Item { first: value, last: value, step: 1, named }),
            };
        };
        let ((first, named), (last, last_named)) = (self.value(part, first)?, self.value(part, last)?);
        if named != last_named {
            return Err(dialect::mixed_range(self, part, first, last));
        }
        if first >= last {
            return Err(dialect::descending(self, part, first, last, step.unwrap_or(1), named));
        }
        let step = step.unwrap_or(1);
        let last = last - (last - first) % step;
        Ok(Item { first, last, step: if first == last { 1 } else { step }, named })
    }

    /// A value with whether it was a name.
    fn value(&self, part: &str, text: &str) -> Result<(u8, bool), CronError> {
        let names = self.names.iter().zip(self.min..);
        if let Some((_, value)) = names.clone().find(|(name, _)| text.eq_ignore_ascii_case(name)) {
            return Ok((value, true));
        }
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) || !self.numbers {
            return Err(dialect::no_value(self, part, text));
        }
        match text.parse::<u8>() {
            Ok(value) if (self.min..=self.max).contains(&value) => Ok((value, false)),
            _ => Err(dialect::out_of_range(self, part, text)),
        }
    }

    /// At most the distance from the first value to the last: beyond that parsers disagree.
    fn step(&self, part: &str, text: &str) -> Result<u8, CronError> {
        match text.parse::<u8>() {
            Ok(step) if (1..=self.max - self.min).contains(&step) && !text.starts_with('+') => Ok(step),
            _ => Err(dialect::step(self, part, text)),
        }
    }

    /// A value as it is written: numbers without leading zeros, names in upper case.
    pub(super) fn write(&self, value: u8, named: bool) -> String {
        let name = self.names.get(usize::from(value.saturating_sub(self.min)));
        match name {
            Some(name) if named => (*name).to_owned(),
            _ => value.to_string(),
        }
    }

    pub(super) fn write_range(&self, first: u8, last: u8, named: bool) -> String {
        match (self.write(first, named), self.write(last, named)) {
            (first, last) if first == last => first,
            (first, last) => format!("{first}-{last}"),
        }
    }

    /// Sorted; an item that another one contains is dropped.
    fn join(&self, mut items: Vec<Item>) -> Parsed {
        items.sort_by_key(|item| (item.first, std::cmp::Reverse(item.last), item.step));
        let mut kept: Vec<(u64, String)> = Vec::new();
        for item in &items {
            let mask = mask(item.first, item.last, item.step);
            if kept.iter().any(|(known, _)| mask & !known == 0) {
                continue;
            }
            kept.retain(|(known, _)| known & !mask != 0);
            let range = self.write_range(item.first, item.last, item.named);
            kept.push((mask, if item.step == 1 { range } else { format!("{range}/{}", item.step) }));
        }
        let mask = kept.iter().fold(0, |all, (mask, _)| all | mask);
        let text = kept.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(",");
        Parsed { mask, text }
    }
}

fn mask(first: u8, last: u8, step: u8) -> u64 {
    (first..=last).step_by(step.max(1).into()).fold(0, |mask, value| mask | 1 << value)
}
