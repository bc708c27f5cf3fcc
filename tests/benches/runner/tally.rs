//! What began when.

use std::{
    collections::HashMap,
    sync::{
        OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Every start: the second that it was due at, and how many microseconds later it began. No lock, so that the subjects wait for nothing.
static STARTS: OnceLock<Vec<AtomicU64>> = OnceLock::new();
static NEXT: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn begin(jobs: usize, firings: usize) {
    STARTS.get_or_init(|| (0..jobs * firings * 2).map(|_| AtomicU64::new(0)).collect());
}

fn since(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// A job has begun that was due at this time.
pub(crate) fn began(due: SystemTime) {
    let late = SystemTime::now().duration_since(due).unwrap_or_default().as_micros();
    let seconds = since(due).as_secs();
    let starts = STARTS.get().expect("begun");
    if let Some(start) = starts.get(NEXT.fetch_add(1, Ordering::Relaxed)) {
        start.store(seconds << 32 | u64::try_from(late).unwrap_or(u64::MAX).min(u32::MAX.into()), Ordering::Relaxed);
    }
}

/// The last multiple of five seconds: what a job that is told no time was due at.
pub(crate) fn last_firing() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(since(SystemTime::now()).as_secs() / 5 * 5)
}

/// The multiple of five seconds after so many others.
pub(crate) fn next_firing(after: u32) -> SystemTime {
    last_firing() + Duration::from_secs(5) * (after + 1)
}

/// The figures of these firings.
#[allow(clippy::cast_precision_loss, reason = "some thousands")]
pub(crate) fn print(firings: &[SystemTime], jobs: usize) {
    let mut of: HashMap<u64, Vec<u64>> = HashMap::new();
    for start in
        STARTS.get().expect("begun").iter().map(|start| start.load(Ordering::Relaxed)).filter(|start| *start > 0)
    {
        of.entry(start >> 32).or_default().push(start & u64::from(u32::MAX));
    }
    let (mut late, mut lost, mut doubled) = (Vec::new(), 0, 0);
    for firing in firings {
        let starts = of.remove(&since(*firing).as_secs()).unwrap_or_default();
        lost += jobs.saturating_sub(starts.len());
        doubled += starts.len().saturating_sub(jobs);
        late.extend(starts);
    }
    late.sort_unstable();
    let at = |part: usize| {
        late.get((late.len().saturating_sub(1)) * part / 100).map_or(f64::NAN, |micros| *micros as f64 / 1e3)
    };
    println!("median_ms {}\np99_ms {}", at(50), at(99));
    println!("due {}\nlost {lost}\ndoubled {doubled}", firings.len() * jobs);
}
