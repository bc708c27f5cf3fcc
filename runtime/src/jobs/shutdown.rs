//! The two ends of a shutdown: the signal that begins it, and what the runs are told of it.

use tokio::sync::watch;

/// Ends when the process is asked to stop: SIGTERM or SIGINT, elsewhere than on Unix Ctrl-C.
///
/// Made for [`Jobs::run_until`](crate::Jobs::run_until). From the first poll on the process no longer ends by itself
/// on these signals: the runner drains first.
///
/// If the platform refuses to install a handler, that is logged once and the future never ends.
///
/// ```no_run
/// # async fn serve() {
/// steadfast::shutdown_signal().await;
/// println!("draining");
/// # }
/// ```
pub async fn shutdown_signal() {
    if let Err(error) = signal().await {
        tracing::error!(%error, "the shutdown signal cannot be listened for; the process will not drain its jobs");
        std::future::pending::<()>().await;
    }
}

#[cfg(unix)]
async fn signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (terminate, interrupt) = (std::pin::pin!(terminate.recv()), std::pin::pin!(interrupt.recv()));
    futures_util::future::select(terminate, interrupt).await;
    Ok(())
}

#[cfg(not(unix))]
async fn signal() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}

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
