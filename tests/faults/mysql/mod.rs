//! Faults on MariaDB.

mod commit;
mod connections;
mod contention;
mod receipts;
mod statements;

use sqlx::MySqlPool;
use steadfast::{atomic_unit, mysql::Tx};
use steadfast_tests::mysql::{Database, URL, server};

use crate::engines::{Error, Runs};

async fn database() -> Database {
    database_on(URL).await
}

async fn database_on(variable: &str) -> Database {
    let database = Database::on(server(variable), 10).await;
    for sql in [
        "create table events (id bigint primary key)",
        "create table hot (id bigint primary key, n bigint not null)",
        "insert into hot values (1, 0), (2, 0)",
    ] {
        sqlx::query(sql).execute(database.pool()).await.unwrap();
    }
    database
}

async fn events(database: &Database) -> i64 {
    sqlx::query_scalar("select count(*) from events").fetch_one(database.pool()).await.unwrap()
}

/// Somebody else on the same server: a unit itself takes no pool.
struct Rival(MySqlPool);

impl Rival {
    async fn run(&self, sql: &'static str) {
        sqlx::raw_sql(sql).execute(&self.0).await.unwrap();
    }
}

/// Which connection it is, as the server numbers them.
async fn connection_id(pool: &MySqlPool) -> i64 {
    sqlx::query_scalar("select cast(connection_id() as signed)").fetch_one(pool).await.unwrap()
}

#[atomic_unit(retry = contention)]
async fn insert(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query("insert into events values (?)").bind(id).execute(&mut *tx).await?;
    Ok(())
}
