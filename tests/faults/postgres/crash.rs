//! A server that crashes under a COMMIT, and gives the number of the transaction that it lost to another one.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection, PgPool, postgres::PgPoolOptions};
use steadfast::{Outcome, Phase, atomic_unit, postgres::Tx};
use steadfast_tests::{
    postgres::Database,
    spare::{POSTGRES_OF_CRASHES, Spare},
};

use crate::engines::{Error, Runs};

#[atomic_unit(retry = transient, in_doubt = resolve)]
async fn resolved(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let run = i64::from(runs.count());
    sqlx::query("insert into events values ($1)").bind(run).execute(&mut *tx).await?;
    Ok(())
}

/// COMMIT waits in a deferred trigger, until the server is killed.
async fn database(server: &Spare<PgConnection>) -> Database {
    let database = Database::on(server.options(), 2).await;
    let schema = database.schema();
    for sql in [
        "create table events (id bigint primary key)".to_owned(),
        "create table others (id bigint)".to_owned(),
        format!(
            "create function {schema}.wait() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return null; end $$"
        ),
        format!(
            "create constraint trigger wait after insert on events deferrable initially deferred for each row \
             execute function {schema}.wait()"
        ),
    ] {
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(database.pool()).await.unwrap();
    }
    database
}

/// The number of the next transaction, which is used up by asking for it.
async fn next(pool: &PgPool) -> u64 {
    let sql = "with other as (insert into others values (1)) select pg_current_xact_id()::text";
    let number: String = sqlx::query_scalar(sql).fetch_one(pool).await.unwrap();
    number.parse().unwrap()
}

/// How the unit ends whose server is ended by `strike` while it commits, when the number of its transaction is another's by then.
async fn lost(strike: impl AsyncFnOnce(&mut Spare<PgConnection>, &PgPool)) -> Error {
    let mut server = Spare::<PgConnection>::start_from(POSTGRES_OF_CRASHES).await;
    let database = database(&server).await;
    let before = next(database.pool()).await;
    let runs = Runs::default();
    // It has one connection, so that what the unit asks afterwards waits until the test lets it.
    let pool = PgPoolOptions::new().max_connections(1).connect_lazy_with(database.options());
    let unit = resolved(&pool, &runs);
    let struck = async {
        let committing = "select count(*) from pg_stat_activity where query = 'COMMIT' and wait_event = 'PgSleep'";
        while sqlx::query_scalar::<_, i64>(committing).fetch_one(database.pool()).await.unwrap() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let (turn, ()) = tokio::join!(pool.acquire(), strike(&mut server, database.pool()));
        // Nothing of the unit had reached the disk: its number is not known to the server, and given away again.
        let reused = next(database.pool()).await;
        assert!(before < reused && reused <= before + 2, "{before}, {reused}");
        while next(database.pool()).await < before + 10 {}
        drop(turn.unwrap());
    };
    let (told, ()) = tokio::join!(unit, struck);
    let applied: i64 =
        sqlx::query_scalar("select count(*) from events").fetch_one(database.pool()).await.expect("the server is up");
    assert_eq!((applied, runs.total()), (0, 1));
    told.expect_err("it was not applied")
}

/// Another transaction has the number of the unit's, and was committed: that is no answer.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_transaction_that_has_the_number_of_a_lost_one_does_not_speak_for_it() {
    // The whole server, and one session's process, after which the others are ended and the server goes on as itself.
    let killed = lost(async |server, _| {
        server.stop("KILL").await;
        server.start_again().await;
    });
    let failure = killed.await.unit();
    assert_eq!((failure.outcome(), failure.phase()), (Outcome::InDoubt, Phase::Commit), "{failure}");
    let crashed = lost(async |server, pool| {
        let committing = "select pid from pg_stat_activity where query = 'COMMIT' and wait_event = 'PgSleep'";
        let session: i32 = sqlx::query_scalar(committing).fetch_one(pool).await.unwrap();
        steadfast_tests::signal(session.unsigned_abs(), "KILL").await;
        while PgConnection::connect_with(&server.options()).await.is_err() || pool.acquire().await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let failure = crashed.await.unit();
    assert_eq!((failure.outcome(), failure.phase()), (Outcome::InDoubt, Phase::Commit), "{failure}");
}
