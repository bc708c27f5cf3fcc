//! What a retry wrapper costs a call that succeeds at once: ours beside the peers, in one run.
//!
//! `cargo bench -p steadfast-tests --bench retry_overhead`. Read ratios within one table; the machine's speed cancels out.
//! Instructions come from `valgrind --tool=callgrind` where it is installed: they do not depend on what else the machine does.

use std::{
    env,
    future::Future,
    hint::black_box,
    ops::ControlFlow,
    pin::{Pin, pin},
    process::Command,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use steadfast::{
    __private::{self, Capped, On, capped},
    Classify, Kind, UnitFailure, provider_call,
    retry::{Jitter, NamedPolicy, Policy},
};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

mod retry {
    steadfast::policies! {
        pub(crate) policy provider = capped(base = "50ms", cap = "200ms", retries = 3).on(rate_limited);
        pub(crate) policy sparing = capped(base = "50ms", cap = "200ms", retries = 3).on(rate_limited).budget(ratio = 0.1);
    }
}

#[derive(Debug, thiserror::Error, Classify)]
enum Error {
    #[error("too many")]
    #[classify(rate_limited)]
    TooMany,
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

/// The call: something small that is awaited and cannot be folded away.
#[inline(never)]
async fn work(order: &Order) -> Result<u64, Error> {
    let balance = black_box(order.balance);
    std::future::ready(()).await;
    if black_box(balance) < order.amount { Err(Error::TooMany) } else { Ok(balance - order.amount) }
}

struct Order {
    balance: u64,
    amount: u64,
}

async fn raw(order: &Order) -> Result<u64, Error> {
    work(order).await
}

/// What one would write by hand.
async fn hand_loop(order: &Order) -> Result<u64, Error> {
    let mut retries = 0;
    loop {
        match work(order).await {
            Err(Error::TooMany) if retries < 3 => {
                retries += 1;
                tokio::time::sleep(Duration::from_millis(50 << retries)).await;
            }
            result => return result,
        }
    }
}

#[provider_call(retry = provider)]
async fn steadfast_call(order: &Order) -> Result<u64, Error> {
    work(order).await
}

#[provider_call(retry = sparing)]
async fn with_budget(order: &Order) -> Result<u64, Error> {
    work(order).await
}

async fn with_budget_and_deadline(order: &Order) -> Result<u64, Error> {
    steadfast::within(Duration::from_secs(5), with_budget(order)).await
}

/// The decision alone: what `#[provider_call]` expands into, without the retry scope that refuses a second layer.
async fn decision_alone(order: &Order) -> Result<u64, Error> {
    enum ThisCall {}
    impl __private::Declared for ThisCall {
        const KNOWN: __private::Known =
            __private::Known { name: "decision_alone", settings: __private::Settings::NONE };
    }
    const CALL: &__private::Declaration = __private::call_declaration::<retry::provider, ThisCall>();
    let mut call = __private::call();
    loop {
        let result = work(order).await;
        if let ControlFlow::Break(done) = call.next(CALL, __private::error_fns(), result) {
            break done;
        }
        call.wait().await;
    }
}

async fn tokio_retry2(order: &Order) -> Result<u64, Error> {
    use tokio_retry2::{Retry, RetryError, strategy::ExponentialBackoff};
    let strategy = ExponentialBackoff::from_millis(50).max_delay(Duration::from_millis(200)).take(3);
    Retry::spawn(strategy, || async { work(order).await.map_err(RetryError::transient) }).await
}

async fn tryhard(order: &Order) -> Result<u64, Error> {
    tryhard::retry_fn(|| work(order))
        .retries(3)
        .exponential_backoff(Duration::from_millis(50))
        .max_delay(Duration::from_millis(200))
        .await
}

async fn backon(order: &Order) -> Result<u64, Error> {
    use backon::{ExponentialBuilder, Retryable};
    let policy = ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(50))
        .with_max_delay(Duration::from_millis(200))
        .with_max_times(3)
        .with_jitter();
    (|| work(order)).retry(policy).await
}

/// A policy whose gaps are all zero: to see what a retry itself costs.
#[allow(non_camel_case_types)]
enum at_once {}
impl NamedPolicy for at_once {
    type Contention = steadfast::__private::No;
    type Ambiguous = steadfast::__private::No;
    const POLICY: Policy = capped(Capped {
        name: "at_once",
        base_ms: 0,
        cap_ms: 0,
        retries: 3,
        jitter: Jitter::Full,
        on: On::NONE.with(Kind::RateLimited),
    });
}

#[provider_call(retry = self::at_once)]
async fn three_zero_gaps(order: &Order) -> Result<u64, Error> {
    work(order).await
}

/// Runs a future that never waits. Behind a `dyn`, as a task polls it: else the compiler folds the bare call, and only that, into
/// the loop that measures.
fn now<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let task: Pin<&mut dyn Future<Output = F::Output>> = black_box(future.as_mut());
    match task.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

struct Subject {
    name: &'static str,
    run: fn(&Order),
    bytes: fn(&Order) -> usize,
}

macro_rules! subject {
    ($name:literal, $function:ident) => {
        Subject {
            name: $name,
            run: |order| drop(black_box(now($function(black_box(order))))),
            bytes: |order| size_of_val(&$function(order)),
        }
    };
}

const SUBJECTS: [Subject; 9] = [
    subject!("raw await", raw),
    subject!("hand-written loop", hand_loop),
    subject!("steadfast: decision", decision_alone),
    subject!("steadfast: whole", steadfast_call),
    subject!("… and a budget", with_budget),
    subject!("… and a deadline", with_budget_and_deadline),
    subject!("tokio-retry2", tokio_retry2),
    subject!("tryhard", tryhard),
    subject!("backon", backon),
];

const GOOD: Order = Order { balance: 100, amount: 1 };
const BAD: Order = Order { balance: 100, amount: 1_000 };

fn repeat(subject: &Subject, times: u32, order: &Order) {
    for _ in 0..times {
        (subject.run)(order);
    }
}

/// Nanoseconds a call: the fastest of many short batches, which is what the machine can do undisturbed.
fn nanoseconds(subjects: &[Subject], order: &Order) -> Vec<f64> {
    const BATCH: u32 = 20_000;
    let mut fastest = vec![f64::MAX; subjects.len()];
    for _ in 0..200 {
        for (subject, fastest) in subjects.iter().zip(&mut fastest) {
            let start = Instant::now();
            repeat(subject, BATCH, order);
            *fastest = fastest.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(BATCH));
        }
    }
    fastest
}

/// Instructions a call, by running this program twice under callgrind with different counts.
fn instructions(index: usize) -> Option<f64> {
    let count = |times: u32| -> Option<f64> {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(env::current_exe().ok()?)
            .args(["--repeat", &index.to_string(), &times.to_string()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let collected = text.lines().find_map(|line| line.split_once("Collected : "))?.1;
        collected.trim().parse().ok()
    };
    Some((count(20_000)? - count(10_000)?) / 10_000.0)
}

fn allocations(subject: &Subject) -> u64 {
    let _profiler = dhat::Profiler::builder().testing().build();
    repeat(subject, 1_000, &GOOD);
    dhat::HeapStats::get().total_blocks
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--repeat") {
        let (index, times): (usize, u32) = (arguments[at + 1].parse().unwrap(), arguments[at + 2].parse().unwrap());
        return repeat(&SUBJECTS[index], times, &GOOD);
    }
    println!("a call that succeeds at once\n");
    println!(
        "{:<20} {:>7} {:>7} {:>13} {:>7} {:>12} {:>13}",
        "", "ns", "× raw", "instructions", "+ raw", "allocations", "future, bytes"
    );
    let times = nanoseconds(&SUBJECTS, &GOOD);
    let counts: Vec<_> = (0..SUBJECTS.len()).map(instructions).collect();
    for (index, subject) in SUBJECTS.iter().enumerate() {
        let (count, more) = match (counts[index], counts[0]) {
            (Some(count), Some(raw)) => (format!("{count:.0}"), format!("{:+.0}", count - raw)),
            _ => ("no valgrind".into(), "–".into()),
        };
        println!(
            "{:<20} {:>7.1} {:>7.2} {:>13} {:>7} {:>12} {:>13}",
            subject.name,
            times[index],
            times[index] / times[0],
            count,
            more,
            allocations(subject),
            (subject.bytes)(&GOOD),
        );
    }
    let failing = [subject!("three zero gaps", three_zero_gaps)];
    let zero = nanoseconds(&failing, &BAD);
    for subject in &SUBJECTS[2..6] {
        assert_eq!(allocations(subject), 0, "{}", subject.name);
    }
    println!("\nfour attempts with three gaps of zero: {:.0} ns, no timer is touched", zero[0]);
}
