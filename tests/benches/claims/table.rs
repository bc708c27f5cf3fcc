//! Subjects that take turns, and their rates.

use std::{
    pin::Pin,
    time::{Duration, Instant},
};

/// A batch of a subject: so many calls, from this number on.
pub(crate) type Batch<'a> = Box<dyn Fn(u32, u32) -> Pin<Box<dyn Future<Output = ()> + 'a>> + 'a>;

/// Something that is measured, beside something that it is compared with.
pub(crate) struct Subject<'a> {
    pub(crate) name: &'static str,
    /// The name of a subject, and what the ratio of the two rates is to reach.
    pub(crate) beside: Option<(&'static str, &'static str)>,
    pub(crate) batch: Batch<'a>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new<F: Future<Output = ()> + 'a>(
        name: &'static str,
        beside: Option<(&'static str, &'static str)>,
        batch: impl Fn(u32, u32) -> F + 'a,
    ) -> Self {
        Self { name, beside, batch: Box::new(move |from, calls| Box::pin(batch(from, calls))) }
    }
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

pub(crate) fn head(title: &str) {
    println!("\n{title}");
    println!("{:<44} {:>12} {:>8}  of", "", "a second", "ratio");
}

/// Lets the subjects take turns and prints a line of each.
pub(crate) async fn compare(subjects: &[Subject<'_>], calls: u32) {
    const ROUNDS: u32 = 15;
    let mut rates = vec![Vec::new(); subjects.len()];
    for round in 0..=ROUNDS {
        for turn in 0..subjects.len() {
            // Each goes first as often as the others.
            let index = (turn + round as usize) % subjects.len();
            let begun = Instant::now();
            (subjects[index].batch)(round * calls, calls).await;
            // The first round prepares the statements.
            if round > 0 {
                rates[index].push(f64::from(calls) / begun.elapsed().as_secs_f64());
            }
        }
    }
    for (subject, own) in subjects.iter().zip(&rates) {
        let Some((other, goal)) = subject.beside else {
            println!("{:<44} {:>12.0}", subject.name, median(own.clone()));
            continue;
        };
        let other_index = subjects.iter().position(|subject| subject.name == other).expect("a subject");
        let ratios = own.iter().zip(&rates[other_index]).map(|(own, other)| own / other).collect();
        println!("{:<44} {:>12.0} {:>8.2}  {other} ({goal})", subject.name, median(own.clone()), median(ratios));
    }
}

/// How long something takes, in milliseconds: the median of some times.
pub(crate) fn milliseconds(times: Vec<Duration>) -> f64 {
    median(times.into_iter().map(|time| time.as_secs_f64() * 1e3).collect())
}
