//! Connections that are refused or abandoned. Those that break: `faults/connections/`.

use sqlx::{AssertSqlSafe, mysql::MySqlPoolOptions};
use steadfast::{atomic_unit, mysql::Tx};
use steadfast_tests::mysql::ROLLBACK_URL;

use super::{connection_id, database, database_on, events, insert};
use crate::{
    engines::{
        Error, Runs, cancelled_after,
        mysql::{inside_transaction, session},
    },
    telemetry::CANARY,
};

/// As after a failover: a connection to a server that takes no writes is not used again. On the server that few tests use;
/// `root`, which those connect as, may write all the same.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_connection_to_a_read_only_server_is_closed() {
    let database = database_on(ROLLBACK_URL).await;
    let options = database.options();
    let name = options.get_database().unwrap();
    let user = format!("u{}", name.rsplit('_').next().unwrap());
    for sql in [
        format!("create user {user}@localhost identified by '{CANARY}'"),
        format!("create user {user}@127.0.0.1 identified by '{CANARY}'"),
        format!("grant all on {name}.* to {user}@localhost"),
        format!("grant all on {name}.* to {user}@127.0.0.1"),
        "set global read_only = 1".to_owned(),
    ] {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(database.pool()).await.unwrap();
    }
    let pool = MySqlPoolOptions::new().max_connections(1).connect_with(options.username(&user)).await.unwrap();
    let (before, runs) = (connection_id(&pool).await, Runs::default());
    let error = insert(&pool, &runs).await.unwrap_err();
    sqlx::raw_sql("set global read_only = 0").execute(database.pool()).await.unwrap();
    let Error::Db(sqlx::Error::Database(error)) = error else { panic!("{error:?}") };
    assert_eq!(error.downcast_ref::<sqlx::mysql::MySqlDatabaseError>().number(), 1290);
    assert_eq!(runs.total(), 1);
    assert_ne!(connection_id(&pool).await, before);
    insert(&pool, &runs).await.unwrap();
}

#[atomic_unit(retry = contention)]
async fn pair(tx: &mut Tx<'_>, id: i64) -> Result<(), Error> {
    sqlx::query("insert into events values (?)").bind(id).execute(&mut *tx).await?;
    tokio::task::yield_now().await;
    sqlx::query("insert into events values (?)").bind(-id).execute(&mut *tx).await?;
    Ok(())
}

/// Dropped after one poll, after two, and so on until it is ready: at each `await`, those of BEGIN and COMMIT among them.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_unit_cancelled_at_every_poll_leaves_no_connection_in_a_transaction() {
    let database = database().await;
    let pool = session(&database, 2, "do 0").await;
    let (mut id, mut cancelled) = (0, 0);
    for round in 0..10 {
        for polls in 0.. {
            id += 1;
            let done = cancelled_after(polls, pair(&pool, id)).await;
            assert_eq!(inside_transaction(&pool).await, 0, "round {round}, {polls} polls");
            if let Some(result) = done {
                result.unwrap();
                break;
            }
            cancelled += 1;
        }
    }
    assert!(cancelled >= 20, "only {cancelled} were cancelled");
    let halves: i64 =
        sqlx::query_scalar("select cast(coalesce(sum(id), 0) as signed) from events").fetch_one(&pool).await.unwrap();
    assert_eq!(halves, 0);
    assert!(events(&database).await >= 20);
}
