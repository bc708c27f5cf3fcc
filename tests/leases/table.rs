//! Tables under names of the application's own.

use std::time::SystemTime;

use steadfast::{
    LeaseStore, Provide, RunOutcome, Slot,
    clock::SystemClock,
    job,
    jobs::{Claim, LEASE_MARGIN, LeaseErrorKind, RunHistory, RunId},
    registry,
    testing::{self, assert_lease_store},
};

use super::engine::{self, Database, Lease, Leases, Pool, engine_test, sql};
use super::notes::{Error, write};

#[derive(Provide)]
struct App {
    db: Pool,
}

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "fenced")]
async fn fenced(_: Slot, db: &Pool, lease: &Lease) -> Result<(), Error> {
    write(db, lease).await
}

registry! { static JOBS for App = [fenced]; }

async fn tables(db: &Pool) -> i64 {
    sqlx::query_scalar(sql("select count(*) from jobs_leases where name <> $1")).bind("").fetch_one(db).await.unwrap()
}

engine_test! {
    /// With a schema and without: claims, fenced units and the history ask that table and no other.
    async fn every_statement_asks_the_table_that_was_named() {
        let database = Database::create().await;
        let db = database.pool();
        sqlx::query("create table notes (slot bigint primary key)").execute(db).await.unwrap();
        Leases::new(db).install().await.unwrap();
        let schema = engine::schema(db).await;
        for (name, history) in [("billing_leases", "billing_runs"), (&*format!("{schema}.ops_leases"), &*format!("{schema}.ops_runs"))] {
            let leases = Leases::new(db).table(name).unwrap();
            let history = RunHistory::new(db).table(history).unwrap();
            let missing = leases.check().await.unwrap_err();
            assert_eq!(missing.kind(), LeaseErrorKind::MissingTable);
            assert!(missing.to_string().starts_with(&format!("the table `{name}` is missing")), "{missing}");
            for _ in 0..2 {
                leases.install().await.unwrap();
                history.install().await.unwrap();
            }
            assert_lease_store(&leases, SystemClock).await;
            let jobs = JOBS.with(App { db: db.clone() }).leases(leases.clone()).history(&history);
            let slot = Slot::floor(SystemTime::now());
            let outcome = testing::run(&jobs, "fenced", slot).await.unwrap();
            assert!(matches!(outcome, RunOutcome::Completed), "{outcome:?}");
            assert_eq!(leases.row("fenced").await.unwrap().unwrap().last_slot, Some(slot));
            assert_eq!(history.recent("fenced", 9).await.unwrap().len(), 1);
            let notes = sqlx::query("delete from notes").execute(db).await.unwrap();
            assert_eq!(notes.rows_affected(), 1);
        }
        assert_eq!(tables(db).await, 0, "the table of the usual name is not touched");
    }
}

engine_test! {
    /// Two applications in one database, a job of the same name in each.
    async fn two_tables_are_two_sets_of_leases() {
        let database = Database::create().await;
        let [one, two] = ["one_leases", "two_leases"].map(|name| Leases::new(database.pool()).table(name).unwrap());
        for leases in [&one, &two] {
            leases.install().await.unwrap();
            let run = RunId::random();
            let claim = Claim::new("digest", Slot::floor(SystemTime::now()), LEASE_MARGIN, &run, &SystemClock);
            assert!(leases.claim(&claim).await.unwrap().is_won());
        }
    }
}

engine_test! {
    /// The text to copy is what is installed, and what is no name comes into no statement.
    async fn the_schema_is_that_of_the_name_and_a_name_is_a_name() {
        let database = Database::create().await;
        let db = database.pool();
        let leases = Leases::new(db).table("billing_leases").unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(leases.schema())).execute(db).await.unwrap();
        leases.check().await.unwrap();
        for name in ["a; drop table notes", "a\"b", "a`b", "A", "", "a.b.c", "jobs-leases"] {
            let refused = Leases::new(db).table(name).unwrap_err().to_string();
            assert!(refused.contains("cannot be the name of a table; use lower-case"), "{refused}");
            assert_eq!(RunHistory::new(db).table(name).unwrap_err().to_string(), refused);
        }
    }
}
