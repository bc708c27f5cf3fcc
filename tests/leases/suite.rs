//! The suite that every store passes. Numbers in names are the rows of the table of scenarios.

use std::{sync::Arc, time::Duration};

use steadfast::{
    Slot,
    clock::SystemClock,
    jobs::{Claim, Claimed, LEASE_MARGIN, LeaseError, LeaseErrorKind, LeaseStore, LostCause, RunId},
    testing::{VirtualClock, assert_lease_store},
};

use super::engine::{self, Database, Leases, Pool, engine_test};

const JOB: &str = "billing.close-expired-trials";
const MINUTE: Duration = Duration::from_mins(1);
const DAY: Duration = Duration::from_hours(24);

/// A store whose database has a clock of its own, and a replica whose clock can be moved.
struct Scene {
    database: Database,
    leases: Leases,
    clock: VirtualClock,
    start: Slot,
}

impl Scene {
    async fn new() -> Self {
        let database = Database::create().await;
        let start = Slot::utc(2026, 1, 2, 3, 0).unwrap();
        sqlx::raw_sql("CREATE TABLE its_clock (millis BIGINT NOT NULL); INSERT INTO its_clock VALUES (0)")
            .execute(database.pool())
            .await
            .unwrap();
        let leases = Leases::new(database.pool()).database_clock("(SELECT millis FROM its_clock)");
        leases.install().await.unwrap();
        let scene = Self { database, leases, clock: VirtualClock::at(start), start };
        scene.at(Duration::ZERO).await;
        scene
    }

    fn pool(&self) -> &Pool {
        self.database.pool()
    }

    /// Both clocks show this long after the start.
    async fn at(&self, after: Duration) {
        self.clock.set_wall(self.start.time() + after);
        self.database_at(i64::try_from(after.as_millis()).unwrap()).await;
    }

    async fn database_at(&self, after_millis: i64) {
        sqlx::query(engine::sql("UPDATE its_clock SET millis = $1"))
            .bind(self.start.unix_millis() + after_millis)
            .execute(self.pool())
            .await
            .unwrap();
    }

    fn slot(&self, after: Duration) -> Slot {
        Slot::floor(self.start.time() + after)
    }

    async fn ask(&self, slot: Slot, timeout: Duration, run: &RunId) -> Option<LostCause> {
        let claim = Claim::new(JOB, slot, timeout + LEASE_MARGIN, run, &self.clock);
        self.leases.claim(&claim).await.unwrap().lost
    }

    /// A claim of a run of its own, with a timeout of five minutes.
    async fn claim(&self, slot: Slot) -> Option<LostCause> {
        self.ask(slot, 5 * MINUTE, &RunId::random()).await
    }

    async fn won(&self, slot: Slot) -> RunId {
        let run = RunId::random();
        assert_eq!(self.ask(slot, 5 * MINUTE, &run).await, None);
        run
    }

    async fn release(&self, run: &RunId) {
        LeaseStore::release(&self.leases, JOB, run.as_str()).await.unwrap();
    }

    /// Last slot, end of the lease, its length and the slot before in minutes after the start, and the holder.
    async fn row(&self) -> (i64, Option<i64>, i64, Option<i64>, String) {
        let sql = "SELECT last_slot, lease_until, lease_ms, prev_slot, holder FROM jobs_leases WHERE name = $1";
        let (last, until, lease, prev, holder): (i64, Option<i64>, i64, Option<i64>, String) =
            sqlx::query_as(engine::sql(sql)).bind(JOB).fetch_one(self.pool()).await.unwrap();
        let minutes = |millis: i64| (millis - self.start.unix_millis()) / 60_000;
        (minutes(last), until.map(minutes), lease / 60_000, prev.map(minutes), holder)
    }

    async fn last_slot(&self) -> Option<Slot> {
        self.leases.row(JOB).await.unwrap()?.last_slot
    }

    /// The row as somebody may have edited it.
    async fn edit(&self, last_slot: Option<i64>, lease_until: Option<i64>, lease_ms: Option<i64>) {
        sqlx::query(engine::sql(engine::EDIT))
            .bind(JOB)
            .bind(last_slot)
            .bind(lease_until)
            .bind(lease_ms)
            .execute(self.pool())
            .await
            .unwrap();
    }
}

engine_test! {
    async fn what_other_peoples_stores_must_keep_is_kept() {
        let database = Database::create().await;
        let leases = Leases::new(database.pool());
        leases.install().await.unwrap();
        assert_lease_store(&leases, SystemClock).await;
    }
}

engine_test! {
    async fn the_row_says_who_has_what() {
        let scene = Scene::new().await;
        let first = scene.won(scene.start).await;
        assert_eq!(scene.row().await, (0, Some(6), 6, None, first.to_string()));
        scene.release(&first).await;
        assert_eq!(scene.row().await, (0, None, 6, None, first.to_string()));
        scene.at(MINUTE).await;
        let second = scene.won(scene.slot(MINUTE)).await;
        assert_eq!(scene.row().await, (1, Some(7), 6, Some(0), second.to_string()));
        // The same run again: the slot before stays what it was.
        assert_eq!(scene.ask(scene.slot(MINUTE), 5 * MINUTE, &second).await, None);
        assert_eq!(scene.row().await, (1, Some(7), 6, Some(0), second.to_string()));
    }
}

engine_test! {
    async fn row_1_a_slot_is_claimed_once_during_the_run_and_after_the_release() {
        let scene = Scene::new().await;
        let run = scene.won(scene.start).await;
        scene.at(Duration::from_secs(10)).await;
        assert_eq!(scene.claim(scene.start).await, Some(LostCause::Slot));
        scene.release(&run).await;
        assert_eq!(scene.claim(scene.start).await, Some(LostCause::Slot));
    }
}

engine_test! {
    async fn row_2_the_next_slot_waits_until_the_lease_is_over() {
        let scene = Scene::new().await;
        scene.won(scene.start).await;
        for (after, expected) in [
            (MINUTE, Some(LostCause::Held)),
            (Duration::from_millis(359_999), Some(LostCause::Held)),
            (6 * MINUTE, Some(LostCause::Held)),
            (6 * MINUTE + Duration::from_millis(1), None),
        ] {
            scene.at(after).await;
            assert_eq!(scene.claim(scene.slot(after)).await, expected, "{after:?}");
        }
    }
}

engine_test! {
    async fn row_3_a_clock_ten_days_ahead_claims_nothing_and_a_row_it_poisoned_is_repaired() {
        let scene = Scene::new().await;
        scene.clock.set_wall(scene.start.time() + 10 * DAY);
        assert_eq!(scene.claim(scene.slot(10 * DAY)).await, Some(LostCause::Skew));
        scene.at(Duration::ZERO).await;
        let poisoned = scene.start.unix_millis() + 10 * 86_400_000;
        scene.edit(Some(poisoned), Some(poisoned + 360_000), Some(360_000)).await;
        scene.won(scene.start).await;
        assert_eq!(scene.row().await.0, 0);
        // Up to a day ahead is believed: an honest later slot.
        scene.edit(Some(scene.start.unix_millis() + 86_400_000), None, Some(360_000)).await;
        assert_eq!(scene.claim(scene.start).await, Some(LostCause::Slot));
        scene.edit(Some(scene.start.unix_millis() + 86_400_001), None, Some(360_000)).await;
        assert_eq!(scene.claim(scene.start).await, None);
    }
}

engine_test! {
    async fn row_4_a_deploy_with_a_shorter_timeout_steals_nothing() {
        let scene = Scene::new().await;
        assert_eq!(scene.ask(scene.start, 60 * MINUTE, &RunId::random()).await, None);
        scene.at(5 * MINUTE).await;
        assert_eq!(scene.ask(scene.slot(5 * MINUTE), 5 * MINUTE, &RunId::random()).await, Some(LostCause::Held));
        scene.at(61 * MINUTE + Duration::from_millis(1)).await;
        assert_eq!(scene.ask(scene.slot(61 * MINUTE), 5 * MINUTE, &RunId::random()).await, None);
    }
}

engine_test! {
    async fn row_5_the_same_run_asks_again_and_wins() {
        let scene = Scene::new().await;
        let run = scene.won(scene.start).await;
        scene.at(Duration::from_secs(2)).await;
        assert_eq!(scene.ask(scene.start, 5 * MINUTE, &run).await, None);
        assert_eq!(scene.claim(scene.start).await, Some(LostCause::Slot), "and nobody else");
        scene.at(MINUTE).await;
        assert_eq!(scene.ask(scene.slot(MINUTE), 5 * MINUTE, &run).await, Some(LostCause::Held), "nor for another slot");
    }
}

engine_test! {
    async fn row_6_a_replica_minutes_ahead_or_behind_neither_steals_nor_repeats() {
        let scene = Scene::new().await;
        scene.won(scene.start).await;
        scene.clock.set_wall(scene.start.time() + 7 * MINUTE);
        assert_eq!(scene.claim(scene.slot(7 * MINUTE)).await, Some(LostCause::Skew), "a live lease is not stolen");
        scene.at(15 * MINUTE).await;
        scene.won(scene.slot(15 * MINUTE)).await;
        scene.clock.set_wall(scene.start.time());
        assert_eq!(scene.claim(scene.start).await, Some(LostCause::Skew), "an old slot is not run again");
    }
}

engine_test! {
    async fn a_slot_that_is_not_yet_is_nobodys() {
        let scene = Scene::new().await;
        // A clock that was ahead when the slot fired, and set back before the claim.
        for minutes in [1, 7, 24 * 60] {
            assert_eq!(scene.claim(scene.slot(minutes * MINUTE)).await, Some(LostCause::Early), "{minutes} minutes");
        }
        assert_eq!(scene.last_slot().await, None);
        scene.at(Duration::from_secs(30)).await;
        scene.won(scene.slot(MINUTE)).await;
    }
}

engine_test! {
    async fn row_7_a_superseded_holder_releases_nothing() {
        let scene = Scene::new().await;
        let old = scene.won(scene.start).await;
        scene.at(7 * MINUTE).await;
        let new = scene.won(scene.slot(7 * MINUTE)).await;
        scene.release(&old).await;
        assert_eq!(scene.row().await, (7, Some(13), 6, Some(0), new.to_string()));
        scene.release(&new).await;
        assert_eq!(scene.row().await.1, None);
        scene.release(&new).await;
    }
}

engine_test! {
    async fn row_8_a_crash_costs_the_slots_of_its_lease() {
        let scene = Scene::new().await;
        scene.won(scene.start).await;
        for minute in 1..=6 {
            let after = minute * MINUTE + Duration::from_millis(5);
            scene.at(after).await;
            let expected = (minute < 6).then_some(LostCause::Held);
            assert_eq!(scene.claim(scene.slot(after)).await, expected, "minute {minute}");
        }
    }
}

engine_test! {
    async fn rows_9_and_10_a_failed_slot_and_a_late_one_are_not_run_again() {
        let scene = Scene::new().await;
        let failed = scene.won(scene.start).await;
        scene.release(&failed).await;
        assert_eq!(scene.claim(scene.start).await, Some(LostCause::Slot));
        scene.at(MINUTE).await;
        let newer = scene.won(scene.slot(MINUTE)).await;
        scene.release(&newer).await;
        assert_eq!(scene.claim(scene.start).await, Some(LostCause::Slot), "delivered late, after a newer one");
    }
}

engine_test! {
    async fn a_clock_is_accepted_up_to_half_a_minute_apart() {
        let scene = Scene::new().await;
        for (seconds, accepted) in [(-29, true), (29, true), (-30, true), (30, true), (-31, false), (31, false), (864_000, false)] {
            sqlx::query("DELETE FROM jobs_leases").execute(scene.pool()).await.unwrap();
            scene.database_at(seconds * 1000).await;
            let run = RunId::random();
            let claim = Claim::new(JOB, scene.start, 2 * MINUTE, &run, &scene.clock);
            let expected = if accepted { None } else { Some(LostCause::Skew) };
            assert_eq!(scene.leases.claim(&claim).await.unwrap(), expected.map_or(Claimed::won(scene.start.unix_millis(), -seconds * 1000), |lost| Claimed::lost(lost, -seconds * 1000)), "{seconds} s");
        }
        // A sped-up clock scales it.
        let leases = scene.leases.clone().clock_tolerance(Duration::from_mins(30));
        scene.database_at(29 * 60_000).await;
        let run = RunId::random();
        assert!(leases.claim(&Claim::new(JOB, scene.start, 2 * MINUTE, &run, &scene.clock)).await.unwrap().is_won());
    }
}

engine_test! {
    async fn sixteen_claimers_have_one_winner() {
        let scene = Arc::new(Scene::new().await);
        for minute in 0..20 {
            scene.at(7 * minute * MINUTE).await;
            let slot = scene.slot(7 * minute * MINUTE);
            let claimers: Vec<_> = (0..16)
                .map(|_| {
                    let scene = Arc::clone(&scene);
                    tokio::spawn(async move { scene.claim(slot).await })
                })
                .collect();
            let mut winners = 0;
            for claimer in claimers {
                match claimer.await.unwrap() {
                    None => winners += 1,
                    Some(cause) => assert_eq!(cause, LostCause::Slot),
                }
            }
            assert_eq!(winners, 1, "slot {slot}");
        }
    }
}

engine_test! {
    async fn who_sees_the_slot_taken_writes_nothing() {
        let scene = Scene::new().await;
        scene.won(scene.start).await;
        let mut observer = engine::replica(&scene.database).await.acquire().await.unwrap();
        let before = engine::version(&mut observer).await;
        for _ in 0..3 {
            assert_eq!(scene.claim(scene.start).await, Some(LostCause::Slot));
        }
        assert_eq!(engine::version(&mut observer).await, before);
        scene.at(MINUTE).await;
        let before = engine::version(&mut observer).await;
        assert_eq!(scene.claim(scene.slot(MINUTE)).await, Some(LostCause::Held));
        assert_eq!(engine::version(&mut observer).await, before);
    }
}

engine_test! {
    async fn an_unmigrated_table_is_an_error_that_names_the_call() {
        let database = Database::create().await;
        let leases = Leases::new(database.pool());
        let clock = VirtualClock::at(Slot::floor(std::time::SystemTime::now()));
        let run = RunId::random();
        let refused = |error: LeaseError| {
            assert_eq!(error.kind(), LeaseErrorKind::MissingTable, "{error}");
            assert!(error.to_string().contains("`leases.install().await?`"), "{error}");
        };
        refused(leases.check().await.unwrap_err());
        refused(leases.claim(&Claim::new(JOB, Slot::floor(steadfast::clock::Clock::now(&clock)), MINUTE, &run, &clock)).await.unwrap_err());
        refused(LeaseStore::release(&leases, JOB, run.as_str()).await.unwrap_err());
        sqlx::query("CREATE TABLE jobs_leases (name VARCHAR(64) PRIMARY KEY, last_slot BIGINT)").execute(database.pool()).await.unwrap();
        refused(leases.check().await.unwrap_err());
        refused(leases.install().await.unwrap_err());
        sqlx::query("DROP TABLE jobs_leases").execute(database.pool()).await.unwrap();
        leases.install().await.unwrap();
        leases.check().await.unwrap();
    }
}

engine_test! {
    async fn a_store_that_is_down_is_an_error_without_secrets() {
        let leases = Leases::new(&engine::unreachable());
        let error = leases.check().await.unwrap_err();
        assert_eq!(error.kind(), engine::UNREACHABLE, "{error}");
        for text in [format!("{error}"), format!("{error:?}"), format!("{leases:?}")] {
            assert!(!text.contains("hunter2"), "{text}");
        }
    }
}

engine_test! {
    async fn rows_edited_by_hand_are_tolerated() {
        let scene = Scene::new().await;
        sqlx::query("DROP TABLE jobs_leases").execute(scene.pool()).await.unwrap();
        sqlx::query(engine::LOOSE).execute(scene.pool()).await.unwrap();
        scene.leases.check().await.unwrap();
        let values = [None, Some(i64::MIN), Some(-1), Some(0), Some(scene.start.unix_millis()), Some(i64::MAX)];
        for last_slot in values {
            for lease_until in values {
                for lease_ms in values {
                    scene.edit(last_slot, lease_until, lease_ms).await;
                    let case = format!("{last_slot:?} {lease_until:?} {lease_ms:?}");
                    let first = scene.claim(scene.start).await;
                    let newer = last_slot.is_none_or(|last| last < scene.start.unix_millis() || last == i64::MAX);
                    let free = lease_until.is_none_or(|until| until < scene.start.unix_millis() || until == i64::MAX);
                    let expected = match (newer, free) {
                        (false, _) => Some(LostCause::Slot),
                        (true, false) => Some(LostCause::Held),
                        (true, true) => None,
                    };
                    assert_eq!(first, expected, "{case}");
                    if first.is_none() {
                        assert_eq!(scene.claim(scene.start).await, Some(LostCause::Slot), "never twice: {case}");
                    }
                }
            }
        }
    }
}

engine_test! {
    async fn install_is_safe_from_eight_replicas_at_once() {
        for _ in 0..5 {
            let database = Arc::new(Database::create().await);
            let replicas: Vec<_> = (0..8)
                .map(|_| {
                    let database = Arc::clone(&database);
                    tokio::spawn(async move {
                        let leases = Leases::new(&engine::replica(&database).await);
                        leases.install().await?;
                        leases.install().await?;
                        leases.check().await
                    })
                })
                .collect();
            for replica in replicas {
                replica.await.unwrap().unwrap();
            }
        }
    }
}

engine_test! {
    async fn the_databases_own_clock_is_right() {
        let database = Database::create().await;
        let leases = Leases::new(database.pool());
        leases.install().await.unwrap();
        let clock = steadfast::clock::SystemClock;
        let slot = Slot::floor(std::time::SystemTime::now());
        let run = RunId::random();
        let claimed = leases.claim(&Claim::new(JOB, slot, MINUTE, &run, &clock)).await.unwrap();
        assert!(claimed.is_won() && claimed.skew_millis.abs() < 1000, "{claimed:?}");
    }
}

engine_test! {
    async fn the_schema_to_copy_is_the_one_that_install_runs() {
        let database = Database::create().await;
        for _ in 0..2 {
            sqlx::raw_sql(engine::SCHEMA).execute(database.pool()).await.unwrap();
        }
        Leases::new(database.pool()).check().await.unwrap();
    }
}

engine_test! {
    async fn a_lease_is_renewed_by_its_holder_alone() {
        let scene = Scene::new().await;
        let run = scene.won(scene.start).await;
        scene.at(4 * MINUTE).await;
        let renew = async |run: &RunId, slot| {
            scene.leases.renew(&Claim::new(JOB, slot, 3 * MINUTE, run, &scene.clock), slot.unix_millis()).await
        };
        assert!(!renew(&RunId::random(), scene.start).await.unwrap(), "another run");
        assert!(!renew(&run, scene.slot(MINUTE)).await.unwrap(), "another slot");
        assert_eq!(scene.row().await.1, Some(6));
        assert!(renew(&run, scene.start).await.unwrap());
        assert_eq!(scene.row().await, (0, Some(7), 3, None, run.to_string()));
        // A clock that is off prolongs nothing.
        scene.clock.set_wall(scene.start.time() + 5 * MINUTE);
        assert_eq!(renew(&run, scene.start).await.unwrap_err().kind(), LeaseErrorKind::Skew);
        assert_eq!(scene.row().await.1, Some(7));
        // Run out, and nobody came: it is its holder's still.
        scene.at(9 * MINUTE).await;
        assert!(renew(&run, scene.start).await.unwrap());
        scene.at(13 * MINUTE).await;
        scene.won(scene.slot(13 * MINUTE)).await;
        assert!(!renew(&run, scene.start).await.unwrap(), "superseded");
    }
}

engine_test! {
    async fn a_slot_that_is_handed_back_is_another_ones() {
        let scene = Scene::new().await;
        assert_eq!(scene.last_slot().await, None);
        let first = scene.won(scene.start).await;
        let back = async |slot, run: &RunId| scene.leases.hand_back(JOB, slot, run.as_str()).await.unwrap();
        let holds = async |run: &RunId| scene.leases.holds(JOB, scene.start.unix_millis(), run.as_str()).await.unwrap();
        assert!(holds(&first).await);
        back(scene.start, &RunId::random()).await;
        back(scene.slot(MINUTE), &first).await;
        assert_eq!(scene.last_slot().await, Some(scene.start), "not his to give");
        for _ in 0..2 {
            back(scene.start, &first).await;
            assert_eq!(scene.row().await, (0, None, 6, None, String::new()), "before the first slot by a millisecond");
            assert!(!holds(&first).await);
        }
        // Somebody else runs it, and of the next one the slot before is known.
        let second = scene.won(scene.start).await;
        scene.release(&second).await;
        scene.at(MINUTE).await;
        let third = scene.won(scene.slot(MINUTE)).await;
        back(scene.slot(MINUTE), &third).await;
        assert_eq!(scene.last_slot().await, Some(scene.start));
        assert_eq!(scene.claim(scene.start).await, Some(LostCause::Slot), "the one before stays taken");
        assert_eq!(scene.claim(scene.slot(MINUTE)).await, None);
    }
}

engine_test! {
    async fn a_lease_that_ran_out_is_held_no_more() {
        let scene = Scene::new().await;
        let run = scene.won(scene.start).await;
        let holds = async || scene.leases.holds(JOB, scene.start.unix_millis(), run.as_str()).await.unwrap();
        scene.at(6 * MINUTE).await;
        assert!(holds().await);
        scene.at(6 * MINUTE + Duration::from_millis(1)).await;
        assert!(!holds().await);
    }
}
