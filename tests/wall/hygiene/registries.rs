//! Two registries in one module, jobs of another one by path, dependencies behind traits.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use steadfast::{Provide, Slot, clock::SystemClock, registry, testing::MemoryLeases};
use steadfast_tests::{library, shop::Mailer};

pub(crate) trait Mail: Send + Sync {
    fn send(&self);
}

#[derive(Default)]
struct Outbox(AtomicU32);

impl Mail for Outbox {
    fn send(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

pub(crate) mod mail {
    use std::{convert::Infallible, sync::Arc};

    use steadfast::{Slot, job};

    use super::Mail;

    #[allow(unreachable_pub)] // as a library of slices would write it
    #[job(cron = "0 9 * * *", timeout = "1m", name = "registries.by-object")]
    pub async fn by_object(_slot: Slot, mail: &dyn Mail) -> Result<(), Infallible> {
        mail.send();
        Ok(())
    }

    #[job(cron = "0 10 * * *", exclusive, timeout = "1m", name = "registries.by-pointer")]
    pub(crate) async fn by_pointer(_slot: Slot, mail: &Arc<dyn Mail>) -> Result<(), Infallible> {
        mail.send();
        Ok(())
    }
}

pub(crate) use mail::by_object as renamed;

#[derive(Provide)]
struct App {
    mail: Arc<dyn Mail>,
}

#[derive(Provide)]
struct Other {
    mail: Box<dyn Mail>,
    outbox: Arc<Outbox>,
}

registry! { static JOBS for App = [mail::by_object, crate::wall::hygiene::registries::mail::by_pointer]; }
registry! { pub(self) static OTHERS for self::Other = [renamed]; }

#[tokio::test]
async fn each_registry_has_its_own() {
    let slot = Slot::floor(std::time::UNIX_EPOCH);
    let outbox = Arc::new(Outbox::default());
    let jobs = JOBS.with(App { mail: outbox.clone() }).leases(MemoryLeases::new(SystemClock));
    for name in ["registries.by-object", "registries.by-pointer"] {
        assert!(steadfast::testing::run(&jobs, name, slot).await.unwrap().is_completed());
    }
    assert_eq!(outbox.0.load(Ordering::Relaxed), 2);
    let other = Other { mail: Box::new(Outbox::default()), outbox };
    assert_eq!(other.outbox.0.load(Ordering::Relaxed), 2);
    let jobs = OTHERS.with(other);
    assert!(steadfast::testing::run(&jobs, "registries.by-object", slot).await.unwrap().is_completed());
    assert_eq!((JOBS.iter().count(), OTHERS.iter().count()), (2, 1));
}

#[derive(Provide)]
struct Application {
    db: sqlx::SqlitePool,
    mailer: Mailer,
}

registry! { static FROM_A_LIBRARY for Application = [library::nightly]; }

#[tokio::test]
async fn a_job_of_another_crate_is_listed_by_its_path() {
    let shop = crate::wall::shop().await;
    let slot = Slot::floor(std::time::UNIX_EPOCH);
    let jobs = FROM_A_LIBRARY.with(Application { db: shop.pool().clone(), mailer: Mailer });
    assert!(steadfast::testing::run(&jobs, "library.nightly", slot).await.unwrap().is_completed());
    let jobs = library::JOBS.with(library::App { db: shop.pool().clone(), mailer: Mailer });
    assert!(steadfast::testing::run(&jobs, "library.nightly", slot).await.unwrap().is_completed());
    assert_eq!(crate::wall::closed(&shop).await, 1);
}
