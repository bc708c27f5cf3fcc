//! The server: the same jobs on SQLite. `cargo run -p steadfast-example-worker -- sqlite://billing.db`

#[cfg(not(target_family = "wasm"))]
#[tokio::main]
async fn main() -> anyhow::Result<()> {
    use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
    use steadfast::SqliteLeases;
    use steadfast_example_worker::{App, JOBS, SqliteTrials};

    tracing_subscriber::fmt().init();
    let url = std::env::args().nth(1).unwrap_or_else(|| "sqlite://billing.db".to_owned());
    let db = SqlitePool::connect_with(url.parse::<SqliteConnectOptions>()?.create_if_missing(true)).await?;
    let leases = SqliteLeases::new(&db);
    leases.install().await?;
    let trials = SqliteTrials::install(&db).await?;
    JOBS.with(App::new(trials)).leases(leases).run_until(steadfast::shutdown_signal()).await?;
    Ok(())
}

/// The Worker is the library.
#[cfg(target_family = "wasm")]
fn main() {}
