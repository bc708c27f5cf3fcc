//! Random faults on PostgreSQL.

use sqlx::PgPool;
use steadfast_tests::proxy::Fate;

use self::proxied::{database, rows};
use super::{Books, PARTS, Told, generator, pick, seed};
use crate::engines::Error;

mod engine {
    pub(super) use crate::engines::postgres::{Database, NAME, Pool, Tx, engine_test, inside_transaction};

    use std::time::Duration;

    pub(super) use sqlx::PgConnection as Connection;
    use sqlx::postgres::PgPoolOptions;
    use steadfast::atomic_unit;
    use steadfast_tests::proxy::Proxy;

    use super::{
        proxied::Desk,
        units::{Plan, append},
    };
    use crate::engines::Error;

    pub(super) const TERMINATED: &str = "pg_terminate_backend at a statement";
    pub(super) const CONTENDED: &str = "serialization failure";
    pub(super) const PLAIN: &str = "insert into appended values ($1, $2)";
    pub(super) const KEYED: &str = "insert into keyed values ($1, $2) on conflict do nothing";
    pub(super) const ANSWERS: &[(u32, &str)] =
        &[(4, "plain"), (1, "timed"), (2, "fail"), (2, "resolve"), (2, "keyed"), (2, "receipt")];

    pub(super) async fn desk(database: &Database) -> Desk {
        let options = database.options().options([("default_transaction_isolation", "serializable")]);
        let proxy = Proxy::before(&options).await;
        let pool = PgPoolOptions::new().max_connections(2).connect_lazy_with(proxy.options(&options));
        Desk { proxy, pool }
    }

    pub(super) fn lazy_pool(database: &Database, connections: u32) -> Pool {
        PgPoolOptions::new().max_connections(connections).connect_lazy_with(database.options())
    }

    pub(super) async fn terminate(tx: &mut Tx<'_>) -> Result<(), Error> {
        sqlx::query("select pg_terminate_backend(pg_backend_pid())").execute(&mut *tx).await?;
        Ok(())
    }

    pub(super) async fn lock(tx: &mut Tx<'_>) -> Result<(), Error> {
        sqlx::query("set local lock_timeout = '2ms'").execute(&mut *tx).await?;
        sqlx::query("select n from hot where id = 2 for update").execute(&mut *tx).await?;
        Ok(())
    }

    /// Somebody else changes the row between the two statements.
    pub(super) async fn contend(tx: &mut Tx<'_>) -> Result<(), Error> {
        let n: i64 = sqlx::query_scalar("select n from hot where id = 1").fetch_one(&mut *tx).await?;
        sqlx::query("select pg_sleep(0.002)").execute(&mut *tx).await?;
        sqlx::query("update hot set n = $1 where id = 1").bind(n + 1).execute(&mut *tx).await?;
        Ok(())
    }

    #[atomic_unit(retry = transient, in_doubt = resolve)]
    async fn resolve(tx: &mut Tx<'_>, unit: i64, plan: &Plan) -> Result<(), Error> {
        append(tx, PLAIN, unit, plan).await
    }

    /// That somebody.
    pub(super) async fn compete(pool: Pool) {
        loop {
            sqlx::query("update hot set n = n + 1 where id = 1").execute(&pool).await.unwrap();
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// The units that only this engine has.
    pub(super) async fn run(pool: &Pool, answer: &str, unit: i64, plan: &Plan) -> Result<(), Error> {
        match answer {
            "resolve" => resolve(pool, unit, plan).await,
            other => panic!("no unit answers `{other}`"),
        }
    }
}

#[path = "proxied.rs"]
mod proxied;

#[path = "restart.rs"]
mod restart;

#[path = "units.rs"]
mod units;

/// Again after every error, and whatever COMMIT says.
async fn naive(pool: &PgPool, unit: i64, swallow: bool) -> Result<(), Error> {
    loop {
        let attempt = async {
            let mut transaction = pool.begin().await?;
            for part in 0..PARTS {
                sqlx::query(engine::PLAIN).bind(unit).bind(part).execute(&mut *transaction).await?;
            }
            if swallow {
                drop(sqlx::query("insert into hot values (1, 0)").execute(&mut *transaction).await);
            }
            transaction.commit().await
        };
        if attempt.await.is_ok() {
            return Ok(());
        }
    }
}

/// The control: the same books find out a loop that repeats everything, and a COMMIT that is taken at its word.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn the_books_find_what_a_naive_loop_does() {
    let database = database().await;
    let desk = engine::desk(&database).await;
    let (books, mut random) = (Books::default(), generator(seed(), 0));
    for unit in 0..40 {
        desk.proxy.script([pick(&mut random, &[(1, Fate::Pass), (1, Fate::SwallowAnswer)])]);
        let result = naive(&desk.pool, unit, unit % 4 == 0).await;
        books.note(unit, "naive", "naive", Told::of(Some(&result)));
    }
    let audit = books.audit(rows(&database).await);
    assert!(audit.duplicates > 0 && audit.false_successes > 0, "{audit}");
}
