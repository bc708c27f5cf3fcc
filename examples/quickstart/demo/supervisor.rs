//! Starts the replicas, does to them what is to be survived, and looks at what is in the database.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use sqlx::SqlitePool;
use steadfast::{Slot, clock::Clock};

use super::{
    clock::SpedUp,
    faults::{Fault, Faults},
    options::Supervise,
    process::{Replica, Start},
    report::{Counts, Report, Summary},
    setup,
};

/// From which slot on the first replica that sends the digest is killed.
const FATAL_SLOT: u32 = 4;

/// A signal drops the demonstration, and with it the replicas and the folder.
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
    setup::fill(&db, first, options.slots).await?;

    let report = Report::new(options);
    let start = Start { file: &file, clock, options, counts: Arc::default() };
    let mut replicas = (1..=i64::from(options.replicas))
        .map(|number| Replica::start(number, &start))
        .collect::<Result<Vec<_>, _>>()?;
    let mut faults = Faults::new(options.seed, options.slots);
    let mut killed = None;
    for index in 0..options.slots {
        let slot = Slot::from_unix_seconds(first.unix_seconds() + i64::from(index) * 60);
        until(clock, slot, 0).await;
        if options.chaos {
            until(clock, slot, faults.moment()).await;
            faults.strike(index, slot, &mut replicas, &start, &report).await?;
        } else if index >= FATAL_SLOT
            && killed.is_none()
            && let Some(holder) = first_mail(&db, slot, clock).await?
        {
            replicas[usize::try_from(holder - 1)?].kill().await?;
            killed = Some(index);
            report.fault(slot, holder, "is killed between two mails (SIGKILL)");
        }
        // Half a minute into the slot its mails are sent.
        until(clock, slot, 45).await;
        report.slot(slot, &digest(&db, slot).await?, &start.counts);
        if killed.is_some_and(|killed| index > killed)
            && let Some(dead) = replicas.iter_mut().find(|replica| !replica.is_up())
        {
            *dead = Replica::start(dead.number, &start)?;
            report.fault(slot, dead.number, "is started again");
        }
    }
    for replica in &mut replicas {
        replica.end().await?;
    }
    let killed = faults.of(Fault::Killed) + usize::from(killed.is_some());
    let summary = summary(&db, first, options.slots, &start.counts).await?;
    let (stopped, shut_down) = (faults.of(Fault::Stopped), faults.of(Fault::ShutDown));
    report.close(&Summary { killed, stopped, shut_down, ..summary });
    Ok(())
}

/// Until so many seconds of a slot have passed.
async fn until(clock: SpedUp, slot: Slot, seconds: u64) {
    let then = slot.time() + Duration::from_secs(seconds);
    clock.sleep(then.duration_since(clock.now()).unwrap_or_default()).await;
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

async fn summary(db: &SqlitePool, first: Slot, slots: u32, counts: &Counts) -> sqlx::Result<Summary> {
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
    Ok(Summary { slots, exclusive_runs, doubled, open, counts: counts.read(), killed: 0, stopped: 0, shut_down: 0 })
}
