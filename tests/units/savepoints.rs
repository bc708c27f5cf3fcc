//! Savepoints: the suite that every engine passes.

use steadfast::{Kind, Outcome, atomic_unit};

use super::engine::{self, Database, Pool, Tx, engine_test};
use crate::engines::{Error, Runs};

async fn database() -> Database {
    let database = Database::create().await;
    sqlx::query("create table names (name varchar(20) primary key)").execute(database.pool()).await.unwrap();
    sqlx::query("insert into names values ('taken')").execute(database.pool()).await.unwrap();
    database
}

async fn names(pool: &Pool) -> Vec<String> {
    sqlx::query_scalar("select name from names order by name").fetch_all(pool).await.unwrap()
}

async fn insert(tx: &mut Tx<'_>, name: &str) -> Result<(), Error> {
    sqlx::query(engine::sql("insert into names values ($1)")).bind(name).execute(&mut *tx).await?;
    Ok(())
}

/// Inserts the names that are free, and says how many were.
#[atomic_unit(retry = contention)]
async fn insert_free(tx: &mut Tx<'_>, wanted: &[&str]) -> Result<usize, Error> {
    let mut inserted = 0;
    for name in wanted {
        let created = tx
            .savepoint(async |mut tx| {
                insert(&mut tx, &format!("try {name}")).await?;
                insert(&mut tx, name).await
            })
            .await;
        inserted += usize::from(created.is_ok());
    }
    insert(tx, "after").await?;
    Ok(inserted)
}

engine_test! {
    /// What the savepoint did is undone whole; what stands around it is committed. The unit is spawned: its future is `Send`.
    async fn an_expected_failure_is_survived() {
        let database = database().await;
        let pool = database.pool().clone();
        let inserted = tokio::spawn(async move { insert_free(&pool, &["one", "taken", "two"]).await }).await.unwrap().unwrap();
        assert_eq!(inserted, 2);
        assert_eq!(names(database.pool()).await, ["after", "one", "taken", "try one", "try two", "two"]);
        assert_eq!(engine::inside_transaction(database.pool()).await, 0);
    }
}

#[atomic_unit(retry = contention)]
async fn nested(tx: &mut Tx<'_>, fail_outer: bool) -> Result<(), Error> {
    let outer = tx
        .savepoint(async |mut tx| {
            insert(&mut tx, "outer").await?;
            let inner = tx
                .savepoint(async |mut tx| {
                    insert(&mut tx, "inner").await?;
                    Err::<(), _>(Error::Domain)
                })
                .await;
            assert!(matches!(inner, Err(Error::Domain)));
            if fail_outer { Err(Error::Domain) } else { Ok(()) }
        })
        .await;
    assert_eq!(outer.is_err(), fail_outer);
    insert(tx, "unit").await
}

engine_test! {
    async fn savepoints_nest() {
        let database = database().await;
        nested(database.pool(), false).await.unwrap();
        assert_eq!(names(database.pool()).await, ["outer", "taken", "unit"]);
        sqlx::query("delete from names").execute(database.pool()).await.unwrap();
        nested(database.pool(), true).await.unwrap();
        assert_eq!(names(database.pool()).await, ["unit"]);
    }
}

#[atomic_unit(retry = contention)]
async fn swallow_inside(tx: &mut Tx<'_>) -> Result<(), Error> {
    tx.savepoint(async |mut tx| {
        let _ = insert(&mut tx, "taken").await;
        let _ = insert(&mut tx, "ignored").await;
        Ok::<_, Error>(())
    })
    .await?;
    Ok(())
}

engine_test! {
    /// A savepoint that says `Ok` over a failed statement ends the unit, as the body of one does.
    async fn a_failure_ignored_inside_ends_the_unit() {
        let database = database().await;
        let failure = swallow_inside(database.pool()).await.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.outcome()), (Kind::Other, Outcome::NotApplied));
        assert_eq!(names(database.pool()).await, ["taken"]);
        assert_eq!(engine::inside_transaction(database.pool()).await, 0);
    }
}

#[atomic_unit(retry = transient, idempotent = set_state)]
async fn control_inside(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    runs.count();
    tx.savepoint(async |mut tx| {
        sqlx::query("commit").execute(&mut tx).await?;
        Ok::<_, Error>(())
    })
    .await
}

engine_test! {
    async fn control_is_refused_inside() {
        let database = database().await;
        let runs = Runs::default();
        let error = control_inside(database.pool(), &runs).await.unwrap_err();
        assert!(error.to_string().contains("inside an atomic unit"), "{error}");
        assert_eq!(runs.total(), 1);
        assert_eq!(engine::inside_transaction(database.pool()).await, 0);
    }
}
