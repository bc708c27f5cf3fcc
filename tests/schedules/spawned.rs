//! Both finishers are futures that another thread may take over, with closures that borrow, mutate and own.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use steadfast::{Stopped, schedule};

use super::WorkError;
use crate::retry;

async fn fetch(url: &str, runs: &AtomicU32) -> Result<usize, WorkError> {
    tokio::task::yield_now().await;
    if runs.fetch_add(1, Ordering::Relaxed) < 2 { Err(WorkError::Unavailable(0)) } else { Ok(url.len()) }
}

async fn touch(text: &Mutex<String>) -> Result<(), WorkError> {
    tokio::task::yield_now().await;
    text.lock().unwrap().push('x');
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_repeat_is_spawned() {
    let counted = tokio::spawn(async {
        let (text, mut seen) = (Mutex::default(), Vec::new());
        let thrice = schedule::of::<retry::thrice>().tap(|step: &schedule::Step<'_, ()>| seen.push(step.attempt));
        let counted = thrice.repeat(async || touch(&text).await).await?;
        assert_eq!((text.lock().unwrap().as_str(), &seen[..]), ("xxxx", &[1, 2, 3][..]));
        Ok::<_, WorkError>(counted)
    });
    assert_eq!(counted.await.unwrap().unwrap(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_retry_is_spawned() {
    let runs = Arc::new(AtomicU32::new(0));
    let told = tokio::spawn({
        let runs = Arc::clone(&runs);
        async move {
            let url = String::from("/rates");
            let mut fallbacks = 0;
            let told = schedule::of::<retry::backing_off>()
                .tap(|step| assert!(step.attempt <= 3))
                .retry_or_else(
                    async || fetch(&url, &runs).await,
                    async |error, _: Stopped| {
                        fallbacks += 1;
                        tokio::task::yield_now().await;
                        Err::<usize, _>(error)
                    },
                )
                .await;
            (told, fallbacks)
        }
    });
    let (told, fallbacks) = told.await.unwrap();
    assert_eq!((told.unwrap(), fallbacks, runs.load(Ordering::Relaxed)), (6, 0, 3));
}

/// In a service the finisher stands in a function of its own, which is spawned.
#[tokio::test(start_paused = true)]
async fn a_function_with_borrowed_arguments_is_spawned() {
    struct Rates {
        url: String,
        runs: AtomicU32,
    }
    impl Rates {
        async fn latest(&self) -> Result<usize, WorkError> {
            let patient = schedule::of::<retry::backing_off>();
            patient.retry_or_else(async || fetch(&self.url, &self.runs).await, async |error, _| Err(error)).await
        }

        async fn watch(&self) -> Result<u64, WorkError> {
            schedule::of::<retry::ticks>().repeat(async || self.latest().await.map(drop)).await
        }
    }
    let rates = Arc::new(Rates { url: "/rates".into(), runs: AtomicU32::new(0) });
    let told = tokio::spawn({
        let rates = Arc::clone(&rates);
        async move { rates.watch().await }
    });
    assert_eq!(told.await.unwrap().unwrap(), 5);
    assert_eq!(rates.runs.load(Ordering::Relaxed), 2 + 6);
}

/// A plain function and a closure that returns a future are work, too.
#[tokio::test(start_paused = true)]
async fn work_may_be_any_function_that_returns_a_future() {
    async fn work() -> Result<(), WorkError> {
        Ok(())
    }
    let told = tokio::spawn(async {
        let one = schedule::of::<retry::thrice>().repeat(work).await?;
        let two = schedule::of::<retry::thrice>().repeat(|| async { work().await }).await?;
        Ok::<_, WorkError>(one + two)
    });
    assert_eq!(told.await.unwrap().unwrap(), 6);
}
