//! Random faults on MariaDB.

mod engine {
    pub(super) use crate::engines::mysql::{Database, NAME, Pool, Tx, engine_test, inside_transaction};

    use std::time::Duration;

    pub(super) use sqlx::MySqlConnection as Connection;
    use sqlx::mysql::MySqlPoolOptions;
    use steadfast_tests::proxy::Proxy;

    use super::{proxied::Desk, units::Plan};
    use crate::engines::Error;

    pub(super) const TERMINATED: &str = "KILL at a statement";
    pub(super) const CONTENDED: &str = "deadlock";
    pub(super) const PLAIN: &str = "insert into appended values (?, ?)";
    pub(super) const KEYED: &str = "insert ignore into keyed values (?, ?)";
    pub(super) const ANSWERS: &[(u32, &str)] = &[(4, "plain"), (1, "timed"), (3, "fail"), (2, "keyed"), (2, "receipt")];

    pub(super) async fn desk(database: &Database) -> Desk {
        let options = database.options();
        let proxy = Proxy::before(&options).await;
        let pool = MySqlPoolOptions::new().max_connections(2).connect_lazy_with(proxy.options(&options));
        Desk { proxy, pool }
    }

    pub(super) fn lazy_pool(database: &Database, connections: u32) -> Pool {
        MySqlPoolOptions::new().max_connections(connections).connect_lazy_with(database.options())
    }

    pub(super) async fn terminate(tx: &mut Tx<'_>) -> Result<(), Error> {
        sqlx::query("kill connection_id()").execute(&mut *tx).await?;
        Ok(())
    }

    pub(super) async fn lock(tx: &mut Tx<'_>) -> Result<(), Error> {
        sqlx::query("select n from hot where id = 2 for update nowait").execute(&mut *tx).await?;
        Ok(())
    }

    /// Two rows, in one order.
    pub(super) async fn contend(tx: &mut Tx<'_>) -> Result<(), Error> {
        for id in [3, 1] {
            sqlx::query("update hot set n = n + 1 where id = ?").bind(id).execute(&mut *tx).await?;
        }
        Ok(())
    }

    /// And in the other, by somebody who has changed so much that the victim of the deadlock is not he.
    pub(super) async fn compete(pool: Pool) {
        loop {
            let mut rival = pool.begin().await.unwrap();
            for id in 100..120 {
                sqlx::query("insert into hot values (?, 0)").bind(id).execute(&mut *rival).await.unwrap();
            }
            sqlx::query("update hot set n = n + 1 where id = 1").execute(&mut *rival).await.unwrap();
            tokio::time::sleep(Duration::from_millis(2)).await;
            sqlx::query("update hot set n = n + 1 where id = 3").execute(&mut *rival).await.unwrap();
            rival.rollback().await.unwrap();
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// The units that only this engine has: none.
    #[expect(clippy::unused_async, reason = "PostgreSQL has one")]
    pub(super) async fn run(_: &Pool, answer: &str, _: i64, _: &Plan) -> Result<(), Error> {
        panic!("no unit answers `{answer}`")
    }
}

#[path = "proxied.rs"]
mod proxied;

#[path = "restart.rs"]
mod restart;

#[path = "units.rs"]
mod units;
