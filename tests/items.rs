//! `steadfast::each`: a batch in which one bad item stalls nothing.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    future::pending,
    panic,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt as _;
use steadfast::{Each, each};
use tokio::{task::yield_now, time::sleep};

use crate::telemetry::{CANARY, told};

/// How many are under way, and the most there were.
#[derive(Default)]
struct Gauge {
    now: AtomicUsize,
    most: AtomicUsize,
    begun: AtomicUsize,
}

impl Gauge {
    fn enter(&self) -> Inside<'_> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.most.fetch_max(self.now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        Inside(self)
    }

    fn read(counter: &AtomicUsize) -> usize {
        counter.load(Ordering::Relaxed)
    }
}

/// Counts itself out, also when it is dropped in the middle.
struct Inside<'g>(&'g Gauge);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug, thiserror::Error)]
#[error("cannot reach https://app:{CANARY}@mail.example/send?token={CANARY}")]
struct MailError;

/// Every third fails, every fifth panics.
async fn send(mail: u64) -> Result<u64, MailError> {
    yield_now().await;
    assert!(!mail.is_multiple_of(5), "the item's own");
    if mail.is_multiple_of(3) { Err(MailError) } else { Ok(mail) }
}

#[tokio::test(start_paused = true)]
async fn at_most_so_many_run_at_once() {
    for (concurrency, most) in [(0, 1), (1, 1), (3, 3), (20, 20), (1_000, 100), (usize::MAX, 100)] {
        let gauge = Gauge::default();
        let all = each(0..100_u64, concurrency, async |item| {
            let _inside = gauge.enter();
            sleep(Duration::from_millis(1 + item % 7)).await;
            Ok::<_, Infallible>(())
        });
        assert_eq!(all.await, Each { done: 100, failed: 0, panicked: 0 });
        assert_eq!((Gauge::read(&gauge.most), Gauge::read(&gauge.now)), (most, 0), "{concurrency}");
    }
}

#[tokio::test]
async fn a_batch_of_none_is_clean() {
    let told = each([0_u8; 0], 5, async |_| Err::<(), _>("never called")).await;
    assert!(told.is_clean());
    assert_eq!(told, Each::default());
}

#[tokio::test]
async fn one_bad_item_stalls_and_fails_nothing() {
    let told = each(1..=15, 4, send).await;
    assert_eq!(told, Each { done: 8, failed: 4, panicked: 3 });
    assert!(!told.is_clean());
    assert!(
        !Each { done: 1, failed: 0, panicked: 1 }.is_clean() && !Each { done: 1, failed: 1, panicked: 0 }.is_clean()
    );
}

/// Before the first await, in the closure, in the end of the future and of its value, and while an error is told.
#[tokio::test]
async fn a_panic_is_contained_wherever_it_is() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("the end's own");
        }
    }
    #[derive(Debug)]
    struct Untellable;
    impl std::fmt::Display for Untellable {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            panic!("the error's own")
        }
    }
    impl std::error::Error for Untellable {}

    let in_the_closure = |item: u8| {
        assert!(item != 1, "the closure's own");
        async { Ok::<_, Infallible>(()) }
    };
    assert_eq!(each([0, 1, 2], 1, in_the_closure).await, Each { done: 2, failed: 0, panicked: 1 });
    let held = async |item: u8| {
        let _held = if item == 1 { Some(Bomb) } else { None };
        Ok::<_, Infallible>(())
    };
    assert_eq!(each([0, 1, 2], 2, held).await, Each { done: 2, failed: 0, panicked: 1 });
    let value = async |item: u8| Ok::<_, Infallible>(if item == 1 { Some(Bomb) } else { None });
    assert_eq!(each([0, 1, 2], 2, value).await, Each { done: 2, failed: 0, panicked: 1 });
    let payload = async |item: u8| {
        if item == 1 {
            panic::resume_unwind(Box::new(Bomb));
        }
        Ok::<_, Infallible>(())
    };
    assert_eq!(each([0, 1, 2], 2, payload).await, Each { done: 2, failed: 0, panicked: 1 });
    let untellable = async |item: u8| if item == 1 { Err(Untellable) } else { Ok(()) };
    assert_eq!(each([0, 1, 2], 2, untellable).await, Each { done: 2, failed: 1, panicked: 0 });
}

#[test]
fn each_failure_is_told_once_and_counted() {
    let (counts, log) = told(async {
        let _told = each(1..=15, 4, send).await;
    });
    let counted = |outcome: &str| counts.get(&format!("steadfast_items_total{{outcome={outcome}}}")).copied();
    assert_eq!([counted("done"), counted("failed"), counted("panicked")], [Some(8), Some(4), Some(3)], "{counts:?}");
    let text = log.text();
    let mut lines: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for line in text.lines() {
        let level = line.split_whitespace().find(|word| ["WARN", "ERROR", "INFO"].contains(word)).unwrap();
        let index = line.split("index=").nth(1).unwrap().split(' ').next().unwrap();
        lines.entry(level).or_default().push(index.parse().unwrap());
    }
    for indices in lines.values_mut() {
        indices.sort_unstable();
    }
    // The index is the place in the batch, counted from 0.
    assert_eq!(lines, BTreeMap::from([("WARN", vec![2, 5, 8, 11]), ("ERROR", vec![4, 9, 14])]), "{text}");
    assert!(text.contains("cannot reach https://…") && text.contains("panic=the item's own"), "{text}");
    assert!(!text.contains(CANARY), "{text}");
}

#[tokio::test]
async fn a_caller_that_is_dropped_drops_what_runs() {
    let gauge = Arc::new(Gauge::default());
    let batch = tokio::spawn({
        let gauge = Arc::clone(&gauge);
        async move {
            let all = each(0..10, 3, async |_| {
                let _inside = gauge.enter();
                pending::<()>().await;
                Ok::<_, Infallible>(())
            });
            all.await
        }
    });
    while Gauge::read(&gauge.begun) < 3 {
        yield_now().await;
    }
    batch.abort();
    assert!(batch.await.unwrap_err().is_cancelled());
    assert_eq!((Gauge::read(&gauge.begun), Gauge::read(&gauge.now)), (3, 0));
}

/// A million items that wait for nothing do not hold the thread.
#[tokio::test]
async fn other_tasks_run_meanwhile() {
    let done = AtomicUsize::new(0);
    let batch = each(0..10_000, 8, async |_| {
        done.fetch_add(1, Ordering::Relaxed);
        Ok::<_, Infallible>(())
    });
    let mut batch = std::pin::pin!(batch);
    assert_eq!(batch.as_mut().now_or_never(), None);
    assert!(Gauge::read(&done) < 100);
    assert_eq!(batch.await.done, 10_000);
}

/// Items that are lent, and work that borrows from its surroundings, on another thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_is_spawned() {
    struct Outbox {
        sent: AtomicUsize,
    }
    impl Outbox {
        async fn send(&self, mail: &str) -> Result<(), MailError> {
            yield_now().await;
            self.sent.fetch_add(mail.len(), Ordering::Relaxed);
            Ok(())
        }

        async fn relay(&self, mails: &[String]) -> Each {
            let lent = each(mails, 2, async |mail| self.send(mail).await).await;
            let by_a_closure = each(mails, 2, |mail| self.send(mail)).await;
            assert_eq!(lent, by_a_closure);
            lent
        }
    }
    let outbox = Arc::new(Outbox { sent: AtomicUsize::new(0) });
    let spawned = tokio::spawn({
        let outbox = Arc::clone(&outbox);
        async move {
            let mails: Vec<String> = ["a", "bc", "def"].map(str::to_owned).into();
            let told = outbox.relay(&mails).await;
            let owned = each(mails, 2, async |mail: String| outbox.send(&mail).await).await;
            (told, owned)
        }
    });
    let (told, owned) = spawned.await.unwrap();
    assert_eq!((told.done, owned.done, Gauge::read(&outbox.sent)), (3, 3, 18));
}
