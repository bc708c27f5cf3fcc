//! The schedules of `policies!`, and where they may be named; the block itself is in `crate::retry`.

use steadfast::{
    atomic_unit,
    retry::NamedPolicy,
    schedule::{self, NamedSchedule},
    sqlite::Tx,
};
use steadfast_tests::shop::BillingError;

use crate::retry;

// twin of: schedule_form, schedule_numbers
#[test]
fn every_shape_and_word_is_a_schedule() {
    let bounds = |times, limit_ms| (times, limit_ms);
    for (schedule, name, expected) in [
        (retry::thrice::SCHEDULE, "thrice", bounds(Some(3), None)),
        (retry::tick::SCHEDULE, "tick", bounds(None, None)),
        (retry::half_a_minute::SCHEDULE, "half_a_minute", bounds(None, Some(30_000))),
        (retry::bounded_twice::SCHEDULE, "bounded_twice", bounds(Some(1000), Some(30_000))),
        (retry::cadence::SCHEDULE, "cadence", bounds(Some(4), None)),
        (retry::doubling::SCHEDULE, "doubling", bounds(Some(9), None)),
        (retry::growing::SCHEDULE, "growing", bounds(Some(8), None)),
    ] {
        assert_eq!((schedule.name, (schedule.times, schedule.limit_ms)), (name, expected));
        assert!(schedule.jitter.is_none());
    }
    for schedule in [retry::proportional_draws::SCHEDULE, retry::equal_draws::SCHEDULE, retry::full_draws::SCHEDULE] {
        assert!(schedule.jitter.is_some());
    }
}

// twin of: schedule_is_no_policy
#[atomic_unit(retry = contention)]
async fn by_policy(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    super::close(tx, trial).await
}

#[tokio::test]
async fn a_unit_names_a_policy_and_a_repeat_a_schedule() {
    let shop = super::shop().await;
    assert_eq!(retry::contention::POLICY.name(), "contention");
    let closed = schedule::of::<retry::thrice>().repeat(async || by_policy(shop.pool(), 1).await);
    assert_eq!(closed.await.unwrap(), 3);
    assert_eq!(super::closed(&shop).await, 1);
}

// twin of: schedule_retry_or_else
#[tokio::test(start_paused = true)]
async fn a_retry_ends_spreads_and_has_an_error_that_says_what_it_is() {
    let work = async || Err::<(), _>(BillingError::Unknown(1));
    let patient = schedule::of::<retry::backing_off>();
    let told = patient.retry_or_else(work, async |error, _| Err::<(), _>(error)).await;
    assert!(matches!(told, Err(BillingError::Unknown(1))));
}
