//! Lines of the portable subset, made at random beside what they mean.

use chrono::{Datelike as _, Days, NaiveDate};
use rand::{RngExt as _, rngs::StdRng};

use super::peers::{DAY, MINUTE, at};

/// What a field may hold, and which names it has from `min` on.
pub(super) struct Kind {
    pub(super) min: u32,
    pub(super) max: u32,
    pub(super) names: &'static [&'static str],
}

pub(super) const MINUTES: Kind = Kind { min: 0, max: 59, names: &[] };
pub(super) const HOURS: Kind = Kind { min: 0, max: 23, names: &[] };
pub(super) const DAYS: Kind = Kind { min: 1, max: 31, names: &[] };
pub(super) const MONTHS: Kind = Kind {
    min: 1,
    max: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
pub(super) const WEEKDAYS: Kind = Kind { min: 0, max: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] };

/// A field as text and, made beside it and not from it, as the values it stands for.
pub(super) struct Field {
    pub(super) text: String,
    values: Vec<u32>,
}

impl Kind {
    fn any(&self) -> Field {
        Field { text: "*".to_owned(), values: (self.min..=self.max).collect() }
    }

    pub(super) fn random(&self, random: &mut StdRng) -> Field {
        match random.random_range(0..12) {
            0..3 => self.any(),
            3..5 => {
                let step = random.random_range(1..=self.max - self.min);
                let values = (self.min..=self.max).step_by(step as usize).collect();
                Field { text: format!("*/{step}"), values }
            }
            5..8 => self.one(random),
            _ => {
                let items: Vec<_> = (0..random.random_range(1..5)).map(|_| self.item(random)).collect();
                let text = items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>().join(",");
                Field { text, values: items.into_iter().flat_map(|item| item.values).collect() }
            }
        }
    }

    /// One value, often the last ones: there the months differ.
    fn one(&self, random: &mut StdRng) -> Field {
        let first = if random.random() { self.max - 2 } else { self.min };
        let value = random.random_range(first..=self.max);
        let named = self.named(random);
        Field { text: self.word(value, named, random), values: vec![value] }
    }

    /// Weekdays have no numbers, months may have either.
    fn named(&self, random: &mut StdRng) -> bool {
        !self.names.is_empty() && (self.min == 0 || random.random())
    }

    fn item(&self, random: &mut StdRng) -> Field {
        let named = self.named(random);
        let first = random.random_range(self.min..=self.max);
        if first == self.max || random.random_ratio(1, 2) {
            return Field { text: self.word(first, named, random), values: vec![first] };
        }
        let last = random.random_range(first + 1..=self.max);
        let range = format!("{}-{}", self.word(first, named, random), self.word(last, named, random));
        if random.random() {
            return Field { text: range, values: (first..=last).collect() };
        }
        let step = random.random_range(1..=self.max - self.min);
        Field { text: format!("{range}/{step}"), values: (first..=last).step_by(step as usize).collect() }
    }

    fn word(&self, value: u32, named: bool, random: &mut StdRng) -> String {
        if !named {
            return if random.random_ratio(1, 8) { format!("{value:02}") } else { value.to_string() };
        }
        let name = self.names[(value - self.min) as usize];
        if random.random() { name.to_uppercase() } else { name.to_owned() }
    }
}

/// A line of the portable subset.
pub(super) struct Line {
    pub(super) text: String,
    /// Minutes of a day, in order.
    minutes: Vec<bool>,
    days: Vec<u32>,
    months: Vec<u32>,
    weekdays: Vec<u32>,
}

impl Line {
    pub(super) fn random(random: &mut StdRng) -> Self {
        let (minute, hour) = if random.random_ratio(1, 3) {
            (MINUTES.one(random), HOURS.one(random))
        } else {
            (MINUTES.random(random), HOURS.random(random))
        };
        let month = MONTHS.random(random);
        let (day, weekday) = match random.random_range(0..3) {
            0 => (DAYS.any(), WEEKDAYS.any()),
            1 => (DAYS.random(random), WEEKDAYS.any()),
            _ => (DAYS.any(), WEEKDAYS.random(random)),
        };
        let space = if random.random_ratio(1, 8) { " \t " } else { " " };
        let text = [&minute, &hour, &day, &month, &weekday].map(|field| field.text.as_str()).join(space);
        let minutes = (0..24 * 60)
            .map(|time| hour.values.contains(&(time / 60)) && minute.values.contains(&(time % 60)))
            .collect();
        Self { text, minutes, days: day.values, months: month.values, weekdays: weekday.values }
    }

    fn holds(&self, date: NaiveDate) -> bool {
        self.months.contains(&date.month())
            && self.days.contains(&date.day())
            && self.weekdays.contains(&date.weekday().num_days_from_sunday())
    }

    /// Does any month have such a day? 2028 has a 29th of February.
    pub(super) fn fires(&self) -> bool {
        self.months
            .iter()
            .any(|month| self.days.iter().any(|day| NaiveDate::from_ymd_opt(2028, *month, *day).is_some()))
    }

    /// All slots of a window, but at most so many: day by day, and minute by minute in each day that holds.
    pub(super) fn walk(&self, after: i64, until: i64, most: usize) -> Vec<i64> {
        let mut found = Vec::new();
        let mut date = at(after).date_naive();
        let mut midnight = after - after.rem_euclid(DAY);
        while midnight < until && found.len() < most {
            if self.holds(date) {
                let times =
                    (0..).zip(&self.minutes).filter(|(_, holds)| **holds).map(|(time, _)| midnight + time * MINUTE);
                found.extend(times.filter(|slot| *slot > after && *slot < until).take(most - found.len()));
            }
            (date, midnight) = (date + Days::new(1), midnight + DAY);
        }
        found
    }
}
