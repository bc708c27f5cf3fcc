//! `registry!` and what runs it.

use steadfast::{Provide, Slot, job, registry, sqlite::SqliteLeases};
use steadfast_tests::shop::{BillingError, Mailer};

mod billing {
    use sqlx::SqlitePool;

    use super::{BillingError, Slot, job};

    #[job(cron = "0 3 * * *", timeout = "5m", name = "wall.nightly")]
    pub(super) async fn close_trials(slot: Slot, db: &SqlitePool) -> Result<(), BillingError> {
        let _ = slot;
        sqlx::query("update trials set closed = 1").execute(db).await?;
        Ok(())
    }
}

mod mail {
    use super::{BillingError, Mailer, Slot, job};

    #[job(cron = "0 4 * * *", exclusive, timeout = "5m", name = "wall.digest")]
    pub(super) async fn digest(slot: Slot, mailer: &Mailer) -> Result<(), BillingError> {
        let _ = (slot, mailer);
        Ok(())
    }
}

#[derive(Provide)]
struct App {
    db: sqlx::SqlitePool,
    mailer: Mailer,
}

// twin of: registry_names_twice, registry_not_a_job, registry_type_not_a_job, registry_dependency, registry_form
registry! {
    /// Not exclusive: no store is due.
    static NIGHTLY for App = [billing::close_trials];
}

registry! {
    static JOBS for App = [billing::close_trials, mail::digest];
}

// twin of: registry_no_lease_store
#[tokio::test]
async fn an_exclusive_job_runs_with_a_lease_store() {
    let shop = super::shop().await;
    let app = || App { db: shop.pool().clone(), mailer: Mailer };
    NIGHTLY.with(app()).run_until(async {}).await.unwrap();
    let leases = SqliteLeases::new(shop.pool());
    leases.install().await.unwrap();
    JOBS.with(app()).leases(leases).run_until(async {}).await.unwrap();
    assert_eq!(JOBS.iter().map(|job| job.name).collect::<Vec<_>>(), ["wall.nightly", "wall.digest"]);
}

// twin of: registry_operator_without_leases
#[tokio::test]
async fn an_operator_has_the_store_of_the_jobs() {
    let shop = super::shop().await;
    let app = || App { db: shop.pool().clone(), mailer: Mailer };
    assert!(NIGHTLY.with(app()).run_now("wall.nightly").await.unwrap().is_completed());
    let leases = SqliteLeases::new(shop.pool()).table("wall_leases").unwrap();
    leases.install().await.unwrap();
    let jobs = JOBS.with(app()).leases(leases);
    jobs.pause("wall.digest", "the provider is down").await.unwrap();
    assert!(jobs.run_now("wall.digest").await.unwrap().is_completed());
}

#[tokio::test]
async fn a_listed_job_is_called_with_what_the_application_provides() {
    let shop = super::shop().await;
    let jobs = NIGHTLY.with(App { db: shop.pool().clone(), mailer: Mailer });
    let outcome = steadfast::testing::run(&jobs, "wall.nightly", Slot::floor(std::time::UNIX_EPOCH)).await.unwrap();
    assert!(outcome.is_completed(), "{outcome:?}");
    assert_eq!(super::closed(&shop).await, 3);
}
