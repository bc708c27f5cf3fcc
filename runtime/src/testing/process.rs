//! A replica's process: a tokio runtime that works only while it is driven. One that is not driven is a process that was stopped, and
//! one that is dropped a process that was killed.

use std::{
    future::poll_fn,
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
};

use futures_core::future::BoxFuture;
use futures_util::task::AtomicWaker;
use tokio::{
    runtime::{Builder, Runtime},
    sync::oneshot,
    task::JoinHandle,
};

use crate::jobs::StartError;

/// Begins the jobs, which run until the future that it is given is over.
pub(super) type Start = Box<dyn Fn(BoxFuture<'static, ()>) -> BoxFuture<'static, Result<(), StartError>>>;

pub(super) struct Process {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    jobs: JoinHandle<Result<(), StartError>>,
    stop: Option<oneshot::Sender<()>>,
    idle: Arc<Idle>,
}

/// Set when the runtime has nothing to do and would park its thread.
#[derive(Default)]
struct Idle {
    set: AtomicBool,
    driver: AtomicWaker,
}

impl Process {
    /// The jobs are made inside of the runtime, so that what they need of one, as a pool does, is there.
    ///
    /// # Panics
    /// When the system has no room for a runtime, and as `start` does.
    pub(super) fn start(start: &Start) -> Self {
        let idle = Arc::new(Idle::default());
        let parked = Arc::clone(&idle);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .on_thread_park(move || {
                parked.set.store(true, Ordering::Relaxed);
                parked.driver.wake();
            })
            .build()
            .unwrap_or_else(|error| panic!("a replica needs a tokio runtime, and none can be made: {error}"));
        let (stop, stopped) = oneshot::channel::<()>();
        let jobs = {
            let _inside = runtime.enter();
            tokio::spawn(start(Box::pin(async { drop(stopped.await) })))
        };
        Self { runtime: Some(runtime), jobs, stop: Some(stop), idle }
    }

    /// Has one of its tasks been woken? By anything but the system: sockets are only looked at by [`work`](Self::work).
    pub(super) fn has_work(&self) -> bool {
        self.runtime().metrics().global_queue_depth() > 0
    }

    /// Works until all tasks wait for something.
    pub(super) fn work(&self) {
        self.idle.set.store(false, Ordering::Relaxed);
        self.runtime().block_on(poll_fn(|context| {
            if self.idle.set.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            // Taken when it is woken, before this is ready: one that stayed would keep the runtime, which owns `Idle`, for ever.
            self.idle.driver.register(context.waker());
            Poll::Pending
        }));
    }

    /// The signal to stop; a second one changes nothing.
    pub(super) fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // Nobody listens any more when the jobs could not start, or have ended.
            let _ = stop.send(());
        }
    }

    /// How it ended, once it has.
    ///
    /// # Panics
    /// As the jobs did: what a job does wrong is caught before.
    pub(super) fn ended(&mut self) -> Option<Result<(), StartError>> {
        if !self.jobs.is_finished() {
            return None;
        }
        let Some(runtime) = &self.runtime else { return None };
        match runtime.block_on(&mut self.jobs) {
            Ok(ended) => Some(ended),
            Err(error) => resume_unwind(error.into_panic()),
        }
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("a process that is not dropped has its runtime")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Waits for no blocking work, as a kill does not; and a runtime that is dropped plainly panics in an async test.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
