//! The signal that begins a shutdown.

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
