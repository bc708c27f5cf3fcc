//! What retries add to the load of a provider that fails: a hundred clients of ten requests a second, on a virtual clock, with the
//! seed printed. `STEADFAST_SEED` repeats a run's failures; the gaps are drawn anew.

use std::{
    cell::{Cell, RefCell},
    env,
    rc::Rc,
    time::Duration,
};

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use steadfast::provider_call;
use tokio::{task::LocalSet, time::sleep};

use super::deadline::CallError;

const CLIENTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// A provider that fails a share of what it is asked.
struct Provider {
    random: RefCell<StdRng>,
    /// In percent.
    failing: Cell<u32>,
    requests: Cell<u32>,
    asked: Cell<u32>,
}

impl Provider {
    fn new(seed: u64) -> Self {
        let random = RefCell::new(StdRng::seed_from_u64(seed));
        Self { random, failing: Cell::new(0), requests: Cell::new(0), asked: Cell::new(0) }
    }

    fn answer(&self) -> Result<(), CallError> {
        self.asked.set(self.asked.get() + 1);
        let fails = self.random.borrow_mut().random_range(0..100) < self.failing.get();
        if fails { Err(CallError::Unavailable(0)) } else { Ok(()) }
    }

    /// How often it was asked for each request, in so many seconds from now on.
    async fn amplification(&self, seconds: u64) -> f64 {
        let before = (self.requests.get(), self.asked.get());
        sleep(Duration::from_secs(seconds)).await;
        f64::from(self.asked.get() - before.1) / f64::from(self.requests.get() - before.0)
    }
}

#[provider_call(retry = lavish, idempotent = read)]
async fn without_budget(provider: &Provider) -> Result<(), CallError> {
    provider.answer()
}

#[provider_call(retry = sparing, idempotent = read)]
async fn with_budget(provider: &Provider) -> Result<(), CallError> {
    provider.answer()
}

/// One request after the other, each a tenth of a second after it began.
async fn client(provider: Rc<Provider>, has_budget: bool, offset: Duration) {
    sleep(offset).await;
    loop {
        provider.requests.set(provider.requests.get() + 1);
        let provider = Rc::clone(&provider);
        tokio::task::spawn_local(async move {
            let _ = if has_budget { with_budget(&provider).await } else { without_budget(&provider).await };
        });
        sleep(PAUSE).await;
    }
}

/// Before, in and after an outage in which so many percent fail.
async fn outage(seed: u64, has_budget: bool, failing: u32) -> [f64; 3] {
    let provider = Rc::new(Provider::new(seed));
    LocalSet::new()
        .run_until(async {
            for number in 0..CLIENTS {
                let offset = PAUSE / CLIENTS * number;
                tokio::task::spawn_local(client(Rc::clone(&provider), has_budget, offset));
            }
            let before = provider.amplification(5).await;
            provider.failing.set(failing);
            let during = provider.amplification(30).await;
            provider.failing.set(0);
            // The retries of the last failures are still under way.
            sleep(Duration::from_secs(5)).await;
            [before, during, provider.amplification(5).await]
        })
        .await
}

#[tokio::test(start_paused = true)]
async fn a_budget_keeps_an_outage_from_feeding_itself() {
    let seed = env::var("STEADFAST_SEED").map_or_else(|_| rand::random(), |text| text.parse().unwrap());
    println!("seed {seed}");
    println!("failing   without budget   budget 0.1");
    for failing in [10, 20, 50, 75, 100] {
        let [_, without, _] = outage(seed, false, failing).await;
        let [before, with, after] = outage(seed, true, failing).await;
        println!("{failing:>6} %   {without:>14.2}   {with:>10.2}");
        assert!((before - 1.0).abs() < 1e-9 && (after - 1.0).abs() < 1e-9, "{before} before, {after} after");
        assert!(with <= 1.2, "{with} at {failing} %");
        // 1 + p + p² + p³
        let p = f64::from(failing) / 100.0;
        let expected = 1.0 + p + p * p + p * p * p;
        assert!((without / expected - 1.0).abs() < 0.1, "{without} at {failing} %, and not {expected}");
    }
}
