//! The time of a command, and of everything that it started.

use std::{fmt, fs, process::Command, time::Instant};

/// Seconds on the clock, and seconds of the processors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) clock: f64,
    pub(crate) processors: f64,
}

/// Of a crate: one for each of the `STEPS`.
pub(crate) type Costs = [Cost; super::STEPS.len()];

impl Cost {
    /// Of nothing that was measured.
    pub(crate) const MAX: Self = Self { clock: f64::INFINITY, processors: f64::INFINITY };

    pub(crate) fn min(self, other: Self) -> Self {
        Self { clock: self.clock.min(other.clock), processors: self.processors.min(other.processors) }
    }

    /// How often the other goes into this one.
    pub(crate) fn over(self, other: Self) -> Self {
        Self { clock: self.clock / other.clock, processors: self.processors / other.processors }
    }

    /// The smaller of the two, for a promise: what disturbs a measurement seldom disturbs both.
    pub(crate) fn least(self) -> f64 {
        self.clock.min(self.processors)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} / {:.2}", self.clock, self.processors)
    }
}

/// Runs it to its end; what it says is shown only when it fails.
pub(crate) fn run(command: &mut Command) -> Cost {
    let (begun, before) = (Instant::now(), processors_of_children());
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (clock, after) = (begun.elapsed().as_secs_f64(), processors_of_children());
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    let processors = before.zip(after).map_or(clock, |(before, after)| after - before);
    Cost { clock, processors }
}

/// `cutime` and `cstime` of this process, in hundredths on every Linux; elsewhere the clock has to do.
fn processors_of_children() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields = stat.rsplit_once(") ")?.1.split(' ').skip(13).take(2);
    let ticks: f64 = fields.filter_map(|field| field.parse::<f64>().ok()).sum();
    Some(ticks / 100.0)
}
