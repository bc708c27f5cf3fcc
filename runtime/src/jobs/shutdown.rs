//! What the runs are told of a shutdown.

use tokio::sync::watch;

/// How far the shutdown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// No shutdown.
    Running,
    /// No new claim; what runs may finish.
    Draining,
    /// The grace period is over: what runs is dropped.
    Cancelling,
}

/// The runner's end.
pub(crate) struct Shutdown(watch::Sender<Stage>);

impl Shutdown {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Stage::Running))
    }

    pub(crate) fn advance(&self, stage: Stage) {
        self.0.send_replace(stage);
    }

    pub(crate) fn watch(&self) -> ShutdownWatch {
        ShutdownWatch(self.0.subscribe())
    }
}

/// A run's end.
#[derive(Clone)]
pub(crate) struct ShutdownWatch(watch::Receiver<Stage>);

impl ShutdownWatch {
    /// Whether the shutdown has not begun.
    pub(crate) fn is_running(&self) -> bool {
        *self.0.borrow() == Stage::Running
    }

    /// Ends when the shutdown begins; never when the runner is gone without one.
    pub(crate) async fn draining(&mut self) {
        self.reached(Stage::Draining).await;
    }

    /// Ends when the grace period is over; never when the runner is gone without a shutdown.
    pub(crate) async fn cancelled(&mut self) {
        self.reached(Stage::Cancelling).await;
    }

    async fn reached(&mut self, least: Stage) {
        if self.0.wait_for(|stage| *stage >= least).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
