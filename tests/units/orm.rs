//! sea-orm in a unit: the suite that every engine passes.

use std::error::Error as StdError;

use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait,
    PaginatorTrait, QueryFilter, Schema, SqlErr,
};
use steadfast::{Classify, Outcome, atomic_unit};

use super::{
    engine::{self, Database, Pool, Tx, engine_test, snapshot_unit},
    members::{self, Error},
};
use crate::engines::{Runs, cancelled_after};

/// One member, `taken`.
async fn database() -> Database {
    let database = Database::create().await;
    let db = DatabaseConnection::from(database.pool().clone());
    let table = Schema::new(db.get_database_backend()).create_table_from_entity(members::Entity);
    db.execute(&table).await.unwrap();
    add(&db, "taken").await.unwrap();
    database
}

async fn count(pool: &Pool) -> u64 {
    members::Entity::find().count(&DatabaseConnection::from(pool.clone())).await.unwrap()
}

/// A function as sea-orm's users write it: on a connection as on a transaction.
async fn add(db: &impl ConnectionTrait, name: &str) -> Result<members::Model, DbErr> {
    members::ActiveModel { name: Set(name.to_owned()), n: Set(0), ..Default::default() }.insert(db).await
}

async fn set(db: &impl ConnectionTrait, member: members::Model, n: i32) -> Result<members::Model, DbErr> {
    let mut member = members::ActiveModel::from(member);
    member.n = Set(n);
    member.update(db).await
}

async fn named(db: &impl ConnectionTrait, name: &str) -> Result<Option<members::Model>, DbErr> {
    members::Entity::find().filter(members::Column::Name.eq(name)).one(db).await
}

fn is_duplicate(error: &DbErr) -> bool {
    matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
}

#[atomic_unit(retry = contention)]
async fn in_turns(tx: &mut Tx<'_>, fail: bool) -> Result<i32, Error> {
    let db = tx.orm();
    let new = add(&db, "new").await?;
    assert_eq!(members::Entity::find_by_id(new.id).one(&db).await?.as_ref(), Some(&new));
    assert_eq!(named(&db, "nobody").await?, None);
    set(&db, new, 7).await?;
    // At once: they wait for each other.
    let (all, count) = tokio::try_join!(members::Entity::find().all(&db), members::Entity::find().count(&db))?;
    assert_eq!((all.len(), count), (2, 2));
    sqlx::query("update members set n = n + 1 where name = 'new'").execute(&mut *tx).await?;
    let new = named(&tx.orm(), "new").await?.expect("what was inserted");
    if fail { Err(Error::Domain) } else { Ok(new.n) }
}

engine_test! {
    /// Each sees what the other has written, and both are rolled back or committed. The unit is spawned: its future is `Send`.
    async fn entities_and_statements_take_turns_on_one_transaction() {
        let database = database().await;
        let pool = database.pool().clone();
        assert!(matches!(in_turns(&pool, true).await, Err(Error::Domain)));
        assert_eq!(count(&pool).await, 1);
        assert_eq!(tokio::spawn(async move { in_turns(&pool, false).await }).await.unwrap().unwrap(), 8);
        assert_eq!(count(database.pool()).await, 2);
        assert_eq!(engine::inside_transaction(database.pool()).await, 0);
    }
}

#[atomic_unit(retry = contention)]
async fn swallow(tx: &mut Tx<'_>) -> Result<(), Error> {
    let db = tx.orm();
    add(&db, "before").await?;
    assert!(is_duplicate(&add(&db, "taken").await.unwrap_err()));
    let after = add(&db, "after").await.unwrap_err();
    assert!(after.to_string().contains("an earlier statement of this atomic unit failed"), "{after}");
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn survive(tx: &mut Tx<'_>) -> Result<(), Error> {
    let refused = tx
        .savepoint(async |mut tx| {
            let db = tx.orm();
            add(&db, "inside").await?;
            add(&db, "taken").await?;
            Ok::<_, Error>(())
        })
        .await;
    assert!(matches!(refused, Err(Error::Orm(error)) if is_duplicate(&error)));
    add(&tx.orm(), "after").await?;
    Ok(())
}

engine_test! {
    async fn a_duplicate_ends_the_unit_unless_it_stays_in_a_savepoint() {
        let database = database().await;
        let error = swallow(database.pool()).await.unwrap_err();
        assert!(matches!(&error, Error::Unit(failure) if failure.outcome() == Outcome::NotApplied), "{error:?}");
        assert_eq!(count(database.pool()).await, 1);
        survive(database.pool()).await.unwrap();
        let db = DatabaseConnection::from(database.pool().clone());
        assert!(named(&db, "after").await.unwrap().is_some());
        assert_eq!(count(database.pool()).await, 2);
        assert_eq!(engine::inside_transaction(database.pool()).await, 0);
    }
}

#[atomic_unit(retry = contention)]
async fn send(tx: &mut Tx<'_>, sql: &str) -> Result<(), Error> {
    let db = tx.orm();
    add(&db, "before").await?;
    db.execute_unprepared(sql).await?;
    Ok(())
}

engine_test! {
    async fn a_text_cannot_end_or_nest_the_transaction() {
        let database = database().await;
        for sql in ["commit", "/* really */ Commit", "rollback", "begin", "savepoint a", "update members set n = 1; commit"] {
            let error = send(database.pool(), sql).await.unwrap_err();
            // PostgreSQL itself takes one statement a text.
            let says = ["inside an atomic unit", "cannot insert multiple commands"];
            assert!(says.iter().any(|says| error.to_string().contains(says)), "{sql}: {error}");
        }
        send(database.pool(), "update members set n = 1").await.unwrap();
        assert_eq!(count(database.pool()).await, 2);
        assert_eq!(engine::inside_transaction(database.pool()).await, 0);
    }
}

#[atomic_unit(retry = contention)]
async fn leave(tx: &mut Tx<'_>) -> Result<(), Error> {
    let db = tx.orm();
    add(&db, "before").await?;
    // Until one is not answered at once.
    while cancelled_after(0, named(&db, "taken")).await.is_some() {}
    Ok(())
}

engine_test! {
    /// Nobody knows what it did.
    async fn a_statement_that_is_dropped_before_its_answer_ends_the_unit() {
        let database = database().await;
        let error = leave(database.pool()).await.unwrap_err();
        let Error::Unit(failure) = &error else { panic!("{error:?}") };
        assert!(failure.source().is_some_and(|source| source.to_string().contains("dropped before its answer")));
        assert_eq!(failure.outcome(), Outcome::NotApplied);
        assert_eq!(count(database.pool()).await, 1);
        assert_eq!(engine::inside_transaction(database.pool()).await, 0);
    }
}

/// What the body makes of contention.
#[derive(Clone, Copy, Debug)]
enum Made {
    Nothing,
    /// An error that says nothing of the database.
    Another,
}

snapshot_unit! {
    /// Adds one to what it has read; in the first attempts, somebody else is quicker.
    async fn outrun(tx: &mut Tx<'_>, rival: &Rival, times: u32, made: Made, runs: &Runs) -> Result<(), Error> {
        let run = runs.count();
        let db = tx.orm();
        let member = named(&db, "taken").await?.expect("a member");
        if run <= times {
            rival.is_quicker().await;
        }
        let n = member.n + 1;
        match (set(&db, member, n).await, made) {
            (Err(error), Made::Another) => Err(DbErr::Custom(error.to_string()).into()),
            (set, _) => Ok(set.map(drop)?),
        }
    }
}

struct Rival(Pool);

impl Rival {
    async fn is_quicker(&self) {
        sqlx::query("update members set n = n + 10 where name = 'taken'").execute(&self.0).await.unwrap();
    }
}

engine_test! {
    /// Whatever the body makes of it: the transaction has seen it.
    async fn contention_is_replayed_as_a_whole() {
        let database = database().await;
        let (pool, rival) = (engine::snapshots(&database).await, Rival(database.pool().clone()));
        let db = DatabaseConnection::from(database.pool().clone());
        for (made, n) in [(Made::Nothing, 11), (Made::Another, 22)] {
            let runs = Runs::default();
            outrun(&pool, &rival, 1, made, &runs).await.unwrap();
            assert_eq!(runs.total(), 2, "{made:?}");
            assert_eq!(named(&db, "taken").await.unwrap().unwrap().n, n);
        }
        assert_eq!(engine::inside_transaction(&pool).await, 0);
    }
}

engine_test! {
    /// By its code, behind the error of sea-orm: in a variant, and where the type is erased.
    async fn an_error_of_sea_orm_means_what_the_database_said() {
        let database = database().await;
        let (pool, rival) = (engine::snapshots(&database).await, Rival(database.pool().clone()));
        let runs = Runs::default();
        let error = outrun(&pool, &rival, u32::MAX, Made::Nothing, &runs).await.unwrap_err();
        assert_eq!(runs.total(), 4);
        let kind = |failure: Option<steadfast::Failure>| failure.map(|failure| failure.kind);
        assert_eq!(kind(error.failure()), Some(engine::STALE));
        let Error::Orm(orm) = error else { panic!("{error:?}") };
        assert_eq!(kind(orm.failure()), Some(engine::STALE));
        let context = anyhow::Error::from(Error::Orm(orm.clone())).context("while counting");
        assert_eq!(kind(context.failure()), Some(engine::STALE));
        let boxed: Box<dyn StdError + Send + Sync> = orm.into();
        assert_eq!(kind(boxed.failure()), Some(engine::STALE));
        assert_eq!(kind(DbErr::Custom("no".into()).failure()), None);
        assert_eq!(kind(DbErr::RecordNotUpdated.failure()), None);
    }
}
