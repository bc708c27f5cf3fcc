//! The macros where users really write them: inside of other macros, under other attributes, beside names that collide, and in
//! modules whose lints are at their strictest.

mod attributes;
mod forbids_unsafe;
mod generated;
mod instrumented;
mod names;
mod no_prelude;
mod registries;
mod shadowed;
mod strict;

/// `#[tokio::test]` needs a prelude, so this stands here.
#[tokio::test]
async fn expansions_need_no_prelude() {
    use no_prelude::{App, JOBS, charge, closes};

    let shop = super::shop().await;
    closes(shop.pool(), 1, String::new()).await.unwrap();
    assert_eq!(charge("key").await.unwrap(), 3);
    assert!(charge("").await.is_err());
    let jobs = JOBS.with(App { db: shop.pool().clone() });
    assert_eq!(JOBS.iter().count(), 2);
    drop(jobs);
    assert_eq!(super::closed(&shop).await, 1);
}
