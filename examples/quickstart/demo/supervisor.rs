//! Starts two replicas, kills one in the middle of a slot, starts it again, and looks at what is in the database.

use std::{path::Path, process::Stdio, sync::Arc, time::Duration};

use anyhow::Context;
use sqlx::SqlitePool;
use steadfast::{Slot, clock::Clock};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    task::JoinHandle,
};

use super::{
    clock::SpedUp,
    options::Supervise,
    report::{Counts, Report, Summary},
    setup,
};

/// How many slots are run.
pub(super) const SLOTS: u32 = 12;
/// From which of them on the first replica that sends the digest is killed.
const FATAL_SLOT: u32 = 4;

/// A signal drops the demonstration, and with it both replicas and the folder.
pub(super) async fn run(options: &Supervise) -> anyhow::Result<()> {
    tokio::select! {
        ended = demonstrate(options) => ended,
        () = steadfast::shutdown_signal() => anyhow::bail!("interrupted; the replicas are ended"),
    }
}

async fn demonstrate(options: &Supervise) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let file = folder.path().join("billing.db");
    let db = setup::open(&file, Duration::from_secs(5)).await?;
    setup::create(&db).await?;
    let clock = SpedUp::starting_now(options.speed);
    let first = clock.first_slot();
    setup::fill(&db, first, SLOTS).await?;

    let report = Report::new(options.json, options.speed, SLOTS);
    let counts = Arc::new(Counts::default());
    let start = |number| Replica::start(number, &file, clock, Arc::clone(&counts));
    let mut replicas = [start(1)?, start(2)?];
    let mut killed = None;
    for index in 0..SLOTS {
        let slot = Slot::from_unix_seconds(first.unix_seconds() + i64::from(index) * 60);
        clock.sleep(slot.time().duration_since(clock.now()).unwrap_or_default()).await;
        if index >= FATAL_SLOT
            && killed.is_none()
            && let Some(holder) = first_mail(&db, slot, clock).await?
        {
            let dead = &mut replicas[usize::try_from(holder - 1)?];
            dead.process.kill().await?;
            killed = Some(index);
            report.killed(slot, holder);
        }
        // Half a minute into the slot its mails are sent.
        let middle = slot.time() + Duration::from_secs(45);
        clock.sleep(middle.duration_since(clock.now()).unwrap_or_default()).await;
        report.slot(slot, &digest(&db, slot).await?, &counts);
        if killed.is_some_and(|killed| index > killed)
            && let Some(dead) = replicas.iter_mut().find(|replica| replica.process.id().is_none())
        {
            *dead = start(dead.number)?;
            report.restarted(slot, dead.number);
        }
    }
    for replica in &mut replicas {
        replica.end().await?;
    }
    report.close(&summary(&db, first, u32::from(killed.is_some()), &counts).await?);
    Ok(())
}

/// Who sent the first mail of the slot; nobody, where the machine is too busy for it.
async fn first_mail(db: &SqlitePool, slot: Slot, clock: SpedUp) -> anyhow::Result<Option<i64>> {
    let too_late = slot.time() + Duration::from_secs(40);
    while clock.now() < too_late {
        let sender = sqlx::query_scalar("select replica from mails where slot = $1").bind(slot.unix_seconds());
        if let Some(replica) = sender.fetch_optional(db).await? {
            return Ok(Some(replica));
        }
        clock.sleep(Duration::from_millis(100)).await;
    }
    Ok(None)
}

/// Who sent how many mails in a slot.
async fn digest(db: &SqlitePool, slot: Slot) -> sqlx::Result<Vec<(i64, i64)>> {
    sqlx::query_as("select replica, count(*) from mails where slot = $1 group by replica")
        .bind(slot.unix_seconds())
        .fetch_all(db)
        .await
}

async fn summary(db: &SqlitePool, first: Slot, killed: u32, counts: &Counts) -> sqlx::Result<Summary> {
    // The replicas are up a moment before the first slot that counts.
    let exclusive_runs = sqlx::query_scalar("select count(distinct slot) from mails where slot >= $1")
        .bind(first.unix_seconds())
        .fetch_one(db)
        .await?;
    let doubled = sqlx::query_scalar(
        "select count(*) from (select 1 from mails group by slot, address having count(*) > 1 \
         union all select 1 from mails group by slot having count(distinct replica) > 1)",
    )
    .fetch_one(db)
    .await?;
    let open = sqlx::query_scalar("select count(*) from trials where closed_at is null").fetch_one(db).await?;
    Ok(Summary { slots: SLOTS, exclusive_runs, doubled, killed, open, counts: counts.read() })
}

struct Replica {
    number: i64,
    process: Child,
    reader: Option<JoinHandle<()>>,
}

impl Replica {
    fn start(number: i64, file: &Path, clock: SpedUp, counts: Arc<Counts>) -> anyhow::Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(["--replica", &number.to_string()])
            .arg(file)
            .args([clock.origin_ms.to_string(), clock.speed.to_string()])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("a replica could not be started")?;
        let output = process.stdout.take().context("a replica without an output")?;
        let reader = tokio::spawn(async move {
            let mut lines = BufReader::new(output).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                counts.line(&line);
            }
        });
        Ok(Self { number, process, reader: Some(reader) })
    }

    /// Waits until the replica has ended by itself.
    async fn end(&mut self) -> anyhow::Result<()> {
        let ended = tokio::time::timeout(Duration::from_secs(10), self.process.wait()).await;
        let status = ended.context("a replica does not end")??;
        anyhow::ensure!(status.success(), "replica {} ended with {status}", self.number);
        if let Some(reader) = self.reader.take() {
            reader.await?;
        }
        Ok(())
    }
}
