//! One subject in a process of its own, and the figures that it prints.

use std::{
    env, fs,
    process::{Child, Command, Stdio},
    str::FromStr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{
    subjects::{Pace, Subject},
    tally,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// CPU and wake-ups between two firings.
    Rest,
    /// What is on the heap for a job.
    Heap,
    /// How long after its time a job begins.
    Late,
}

impl FromStr for Measure {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        [Self::Rest, Self::Heap, Self::Late].into_iter().find(|measure| format!("{measure:?}") == word).ok_or(())
    }
}

#[derive(Default)]
pub(crate) struct Figures {
    pub(crate) bytes: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) wake_ups: f64,
    pub(crate) median_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) due: f64,
    pub(crate) lost: f64,
    pub(crate) doubled: f64,
}

pub(crate) struct Running(Child);

pub(crate) fn start(subject: Subject, jobs: usize, measure: Measure) -> Running {
    let this = env::current_exe().expect("the bench");
    let mut child = Command::new(this);
    child.args(["--of", subject.name(), &jobs.to_string(), &format!("{measure:?}")]).stdout(Stdio::piped());
    Running(child.spawn().expect("the bench starts itself"))
}

impl Running {
    pub(crate) fn end(self) -> Figures {
        let output = self.0.wait_with_output().expect("its figures");
        assert!(output.status.success(), "a subject ended with {}", output.status);
        let text = String::from_utf8(output.stdout).expect("figures");
        let mut figures = Figures::default();
        for line in text.lines() {
            let (name, value) = line.split_once(' ').expect("a name and a value");
            let value = value.parse().expect("a number");
            match name {
                "bytes" => figures.bytes = value,
                "cpu_ms" => figures.cpu_ms = value,
                "wake_ups" => figures.wake_ups = value,
                "median_ms" => figures.median_ms = value,
                "p99_ms" => figures.p99_ms = value,
                "due" => figures.due = value,
                "lost" => figures.lost = value,
                "doubled" => figures.doubled = value,
                other => panic!("{other}"),
            }
        }
        figures
    }
}

/// Prints the figures of one subject.
pub(crate) fn child(arguments: &[String]) {
    let [subject, jobs, measure, ..] = arguments else { panic!("a subject, a number of jobs and a measure") };
    let subject = Subject::ALL.into_iter().find(|known| known.name() == subject).expect("a subject");
    let (jobs, measure) = (jobs.parse().expect("a number"), measure.parse().expect("a measure"));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        match measure {
            Measure::Rest => rest(subject, jobs).await,
            Measure::Heap => heap(subject, jobs).await,
            Measure::Late => late(subject, jobs).await,
        }
    });
    // Not all of them can be stopped.
    runtime.shutdown_background();
}

/// The time of the processor and the number of times that a thread has waited, of this process.
fn used() -> (f64, f64) {
    let mut sums = (0.0, 0.0);
    for task in fs::read_dir("/proc/self/task").expect("Linux").flatten() {
        let read = |file: &str| fs::read_to_string(task.path().join(file)).unwrap_or_default();
        let nanoseconds = read("schedstat").split(' ').next().and_then(|word| word.parse::<f64>().ok());
        sums.0 += nanoseconds.unwrap_or_default() / 1e6;
        let waits =
            read("status").lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse().ok());
        sums.1 += waits.unwrap_or(0.0);
    }
    sums
}

/// Until this second of a minute.
async fn until(second: u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    let into = Duration::from_secs(now.as_secs() % 60) + Duration::from_nanos(now.subsec_nanos().into());
    let wait = Duration::from_secs(60 + second).saturating_sub(into);
    tokio::time::sleep(Duration::from_nanos(u64::try_from(wait.as_nanos() % 60_000_000_000).expect("less"))).await;
}

async fn rest(subject: Subject, jobs: usize) {
    tally::begin(jobs, 8);
    subject.start(jobs, Pace::EveryMinute).await;
    // Behind a firing, and with room for the slowest.
    until(15).await;
    let before = used();
    tokio::time::sleep(Duration::from_secs(40)).await;
    let after = used();
    println!("cpu_ms {}", (after.0 - before.0) * 1.5);
    // The one of this measure itself is left out.
    println!("wake_ups {}", ((after.1 - before.1) * 1.5 - 1.0).max(0.0));
}

/// Of the memory that is written to, which is what the allocator was asked for, rounded up to pages.
async fn heap(subject: Subject, jobs: usize) {
    tally::begin(jobs, 1);
    subject.prepare(jobs);
    let resident = || -> f64 {
        let status = fs::read_to_string("/proc/self/status").expect("Linux");
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("its size");
        line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") * 1024.0
    };
    let before = resident();
    subject.start(jobs, Pace::EveryMinute).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    #[allow(clippy::cast_precision_loss, reason = "some thousands")]
    let bytes = (resident() - before) / jobs as f64;
    println!("bytes {bytes}");
}

async fn late(subject: Subject, jobs: usize) {
    const FIRINGS: usize = 6;
    // The first of them wakes the threads up, and some of them are on their way at the end.
    tally::begin(jobs, FIRINGS + 3);
    subject.start(jobs, Pace::EveryFiveSeconds).await;
    let first = tally::next_firing(2);
    let end = first + Duration::from_secs(5) * u32::try_from(FIRINGS).expect("few") - Duration::from_millis(500);
    tokio::time::sleep(end.duration_since(SystemTime::now()).unwrap_or_default()).await;
    let firings: Vec<_> =
        (0..FIRINGS).map(|index| first + Duration::from_secs(5) * u32::try_from(index).expect("few")).collect();
    tally::print(&firings, jobs);
}
