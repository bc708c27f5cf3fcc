//! Names that an expansion could have used, and raw ones.

use sqlx::SqlitePool;
use steadfast::{Provide, Slot, atomic_unit, job, provider_call, registry, sqlite::Tx};
use steadfast_tests::shop::BillingError;

use crate::wall::{close, closed, shop};

/// A pool of water.
#[derive(Clone)]
struct Water(i64);

/// A function named like a policy: the bare name of the attribute still means the policy.
fn contention(trial: i64) -> i64 {
    trial
}

mod retry {
    //! Not the module that a bare name means.
}

#[atomic_unit(retry = contention)]
async fn like_locals(
    tx: &mut Tx<'_>,
    pool: Water,
    tx2: &Water,
    result: i64,
    __unit: i64,
    __result: i64,
    __done: i64,
) -> Result<i64, BillingError> {
    const __UNIT: i64 = 1;
    struct Policy;
    let _ = Policy;
    let contention = contention(pool.0);
    close(tx, contention).await?;
    Ok(tx2.0 + result + __unit + __result + __done + __UNIT)
}

#[atomic_unit(retry = patient)]
async fn retry_(tx: &mut Tx<'_>, retry: i64, steadfast: i64, core: i64) -> Result<i64, BillingError> {
    close(tx, retry).await?;
    Ok(steadfast + core)
}

#[provider_call(retry = limited)]
async fn like_calls(pool: Vec<i64>, __call: i64, __result: &str) -> Result<String, BillingError> {
    Ok(format!("{}{__call}{__result}", pool.len()))
}

#[atomic_unit(retry = contention)]
async fn r#match(r#mut: &mut Tx<'_>, r#type: i64, r#loop: &str) -> Result<String, BillingError> {
    close(r#mut, r#type).await?;
    Ok(r#loop.to_owned())
}

#[job(cron = "0 3 * * *", timeout = "1m")]
async fn r#fn(r#slot: Slot, r#in: &SqlitePool) -> Result<(), BillingError> {
    let _ = r#slot;
    like_locals(r#in, Water(1), &Water(2), 3, 4, 5, 6).await.map(drop)
}

#[job(cron = "0 3 * * *", timeout = "1m", name = "names.locals")]
async fn contention_(__run: Slot, __app: &SqlitePool, pool: &Water) -> Result<(), BillingError> {
    let _ = (__run, pool);
    close_one(__app, (2, ()), Water(0)).await
}

/// A unit named like a module, with the policy behind a module of the same name.
mod close_one {
    pub(super) use steadfast::policy::contention;
}

#[atomic_unit(retry = close_one::contention)]
async fn close_one(tx: &mut Tx<'_>, (trial, ()): (i64, ()), Water(_): Water) -> Result<(), BillingError> {
    close(tx, trial).await
}

#[derive(Provide)]
struct App {
    r#type: SqlitePool,
    water: Water,
}

registry! { #[allow(non_upper_case_globals)] static r#static for App = [r#fn, contention_]; }

#[tokio::test]
async fn no_name_collides() {
    let shop = shop().await;
    let db = shop.pool();
    assert_eq!(like_locals(db, Water(1), &Water(2), 3, 4, 5, 6).await.unwrap(), 2 + 3 + 4 + 5 + 6 + 1);
    assert_eq!(retry_(db, 2, 3, 4).await.unwrap(), 7);
    assert_eq!(like_calls(vec![1], 2, "3").await.unwrap(), "123");
    assert_eq!(r#match(db, 3, "loop").await.unwrap(), "loop");
    assert_eq!(closed(&shop).await, 3);
    let names: Vec<_> = r#static.iter().map(|job| job.name).collect();
    assert_eq!(names, ["all.wall.hygiene.names.fn", "names.locals"]);
    let jobs = r#static.with(App { r#type: db.clone(), water: Water(0) });
    for name in names {
        let outcome = steadfast::testing::run(&jobs, name, Slot::floor(std::time::UNIX_EPOCH)).await.unwrap();
        assert!(outcome.is_completed(), "{outcome:?}");
    }
}
