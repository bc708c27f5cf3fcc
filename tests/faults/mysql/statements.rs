//! Statements that would end the transaction underneath the unit.

use std::time::Duration;

use sqlx::MySqlPool;
use steadfast::{atomic_unit, mysql::Tx};

use super::{database, events};
use crate::engines::{Error, Runs, mysql::session};

#[atomic_unit(retry = contention)]
async fn with(tx: &mut Tx<'_>, sql: &'static str, raw: bool, runs: &Runs) -> Result<(), Error> {
    runs.count();
    sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
    if raw {
        sqlx::raw_sql(sql).execute(&mut *tx).await?;
    } else {
        sqlx::query(sql).execute(&mut *tx).await?;
    }
    Ok(())
}

const IMPLICIT: [&str; 10] = [
    "create table other (id bigint)",
    "alter table hot add column m bigint",
    "drop table hot",
    "truncate table hot",
    "rename table hot to cold",
    "create index i on hot (n)",
    "grant select on *.* to root@localhost",
    "lock tables hot write",
    "analyze table hot",
    "set autocommit = 1",
];

/// It would commit what came before, and a replay would apply that again.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_statement_that_commits_implicitly_is_refused() {
    let database = database().await;
    let runs = Runs::default();
    for sql in IMPLICIT {
        for raw in [false, true] {
            let error = with(database.pool(), sql, raw, &runs).await.unwrap_err();
            assert!(error.to_string().contains("commits implicitly"), "{sql}: {error}");
        }
    }
    for sql in ["/*! commit */", "/*M!100000 commit */", "xa start 'a'", "execute immediate 'commit'"] {
        let error = with(database.pool(), sql, true, &runs).await.unwrap_err();
        assert!(error.to_string().contains("inside an atomic unit"), "{sql}: {error}");
    }
    assert_eq!((runs.total(), events(&database).await), (24, 0));
    let tables: i64 =
        sqlx::query_scalar("select count(*) from information_schema.tables where table_schema = database()")
            .fetch_one(database.pool())
            .await
            .unwrap();
    assert_eq!(tables, 2);
}

/// The check above is worth its place: this is what the server does with such statements.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn the_server_commits_what_came_before_them() {
    let database = database().await;
    let pool = database.pool();
    for sql in ["create table other (id bigint)", "/*! commit */", "/*M!100000 commit */", "set autocommit = 1"] {
        sqlx::query("delete from events").execute(pool).await.unwrap();
        let mut transaction = pool.begin().await.unwrap();
        // Turning it on commits only where it was off.
        if sql.starts_with("set") {
            sqlx::raw_sql("set autocommit = 0").execute(&mut *transaction).await.unwrap();
        }
        sqlx::query("insert into events values (1)").execute(&mut *transaction).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut *transaction).await.unwrap();
        transaction.rollback().await.unwrap();
        assert_eq!(events(&database).await, 1, "{sql}");
    }
}

#[atomic_unit(retry = contention)]
async fn scratch(tx: &mut Tx<'_>, fail: bool) -> Result<(), Error> {
    sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
    sqlx::query("create temporary table scratch (id bigint)").execute(&mut *tx).await?;
    sqlx::query("insert into scratch select id from events").execute(&mut *tx).await?;
    sqlx::query("drop temporary table scratch").execute(&mut *tx).await?;
    if fail { Err(Error::Domain) } else { Ok(()) }
}

#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_temporary_table_is_allowed_and_commits_nothing() {
    let database = database().await;
    assert!(scratch(database.pool(), true).await.is_err());
    assert_eq!(events(&database).await, 0);
    scratch(database.pool(), false).await.unwrap();
    assert_eq!(events(&database).await, 1);
}

#[atomic_unit(retry = contention, isolation = serializable)]
async fn serializable(tx: &mut Tx<'_>) -> Result<String, Error> {
    level(tx).await
}

#[atomic_unit(retry = contention)]
async fn unnamed(tx: &mut Tx<'_>) -> Result<String, Error> {
    level(tx).await
}

async fn level(tx: &mut Tx<'_>) -> Result<String, Error> {
    sqlx::query("update hot set n = 1 where id = 1").execute(&mut *tx).await?;
    // The server keeps its list of transactions for a tenth of a second.
    tokio::time::sleep(Duration::from_millis(150)).await;
    let sql =
        "select trx_isolation_level from information_schema.innodb_trx where trx_mysql_thread_id = connection_id()";
    Ok(sqlx::query_scalar(sql).fetch_one(&mut *tx).await?)
}

/// The level holds for its unit and leaves nothing on the connection.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_unit_has_the_isolation_level_that_it_names() {
    let database = database().await;
    let pool: MySqlPool = session(&database, 1, "do 0").await;
    assert_eq!(serializable(&pool).await.unwrap(), "SERIALIZABLE");
    assert_eq!(unnamed(&pool).await.unwrap(), "REPEATABLE READ");
}
