//! Starts the relay as a process of its own, kills it in the middle, and starts it again.

use std::{env, process::Stdio, time::Duration};

use anyhow::{Context as _, bail};
use tokio::process::{Child, Command};

use crate::{
    broker::Broker,
    db::{self, Pool},
    orders, outbox,
};

/// The variable that names the database: arguments are seen by everybody on the machine.
const URL: &str = "DATABASE_URL";
const ORDERS: i64 = 40;
/// What happens to these on their way; to all others, nothing.
const TROUBLE: [(i64, &str); 3] = [(5, "shy"), (6, "busy"), (7, "broken")];

pub async fn main() -> anyhow::Result<()> {
    match env::args().nth(1).as_deref() {
        Some("relay") => {
            let db = connect(&env::var(URL)?).await?;
            outbox::relay(&db, &Broker { db: db.clone() }).await;
            Ok(())
        }
        Some(word) => bail!("unknown argument `{word}`; run it without any"),
        None => {
            // Keeps the folder until the end.
            let folder = tempfile::tempdir()?;
            let url = if cfg!(feature = "postgres") {
                env::var(URL)
                    .context("name an empty database, for example `DATABASE_URL=postgres://user@127.0.0.1/database`")?
            } else {
                format!("sqlite://{}?mode=rwc", folder.path().join("shop.db").display())
            };
            tokio::time::timeout(Duration::from_mins(1), supervise(&url)).await.context("the relay took too long")?
        }
    }
}

/// A password in the URL stays out of the error.
async fn connect(url: &str) -> anyhow::Result<Pool> {
    let db = Pool::connect(url).await.context("the database does not answer")?;
    if cfg!(not(feature = "postgres")) {
        sqlx::query("pragma journal_mode = wal").execute(&db).await?;
    }
    Ok(db)
}

async fn supervise(url: &str) -> anyhow::Result<()> {
    let db = connect(url).await?;
    db::install(&db).await?;
    for id in 1..=ORDERS {
        let item = TROUBLE.iter().find(|(order, _)| *order == id).map_or("tea", |(_, trouble)| trouble);
        orders::place(&db, id, item).await?;
    }
    println!(
        "{ORDERS} orders are placed, each with its event in the same transaction. The relay delivers the events: three of them"
    );
    println!("are refused at first, one of those for ever, and the relay is killed in the middle. None may be lost.");

    let mut relay = start(url)?;
    while ended(&db).await? < ORDERS / 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    relay.kill().await?;
    println!("the relay is killed, {} of {ORDERS} events are delivered", ended(&db).await?);

    let mut relay = start(url)?;
    println!("the relay is started again");
    while ended(&db).await? < ORDERS {
        if let Some(status) = relay.try_wait()? {
            bail!("the relay ended by itself: {status}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    relay.kill().await?;
    report(&db).await
}

fn start(url: &str) -> anyhow::Result<Child> {
    let mut command = Command::new(env::current_exe()?);
    // It ends with this process, also when that one is killed by a panic.
    command.arg("relay").env(URL, url).stdin(Stdio::null()).kill_on_drop(true);
    Ok(command.spawn()?)
}

async fn ended(db: &Pool) -> sqlx::Result<i64> {
    sqlx::query_scalar("select count(*) from outbox where ended is not null").fetch_one(db).await
}

async fn report(db: &Pool) -> anyhow::Result<()> {
    let delivered: i64 =
        sqlx::query_scalar("select count(*) from outbox where ended = 'delivered'").fetch_one(db).await?;
    let aside: Vec<i64> = sqlx::query_scalar("select id from outbox where ended = 'set aside'").fetch_all(db).await?;
    let received: i64 = sqlx::query_scalar("select count(*) from received").fetch_one(db).await?;
    let twice: i64 = sqlx::query_scalar("select count(*) from received where times > 1").fetch_one(db).await?;
    println!("{delivered} events are delivered; {twice} came twice, known again by their id; set aside: {aside:?}");
    if (delivered, received, aside.as_slice()) != (ORDERS - 1, ORDERS - 1, &[7]) {
        bail!("an event was lost");
    }
    Ok(())
}
