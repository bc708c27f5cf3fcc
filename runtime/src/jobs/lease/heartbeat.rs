//! A short lease that is renewed while its run is alive.

use std::pin::pin;

use futures_util::future::{Either, select};

use super::{HEARTBEAT, HEARTBEAT_PATIENCE, held::Held, store::Claim};
use crate::{clock::JobClock, platform::BoxFuture};

/// How soon a renewal that the store could not answer is tried again: a twelfth of the patience.
const AGAIN: std::time::Duration = std::time::Duration::from_secs(10);

/// Renews the lease; ends when it is lost: another run has it, or it was not renewed in time.
///
/// `lost` ends when the run's claim has gone unrenewed for too long.
pub(crate) async fn renewed_until_lost(
    held: &Held,
    claim: &Claim<'_>,
    clock: &JobClock,
    mut lost: BoxFuture<'static, ()>,
) {
    loop {
        let mut pause = HEARTBEAT;
        loop {
            if let Either::Right(_) = select(clock.sleep(pause), &mut lost).await {
                return;
            }
            // Begun before the question: the answer may be read long after the lease was prolonged, by a process that was paused.
            // A wait, so that no step of the wall clock shortens or prolongs it.
            let unrenewed = clock.sleep(HEARTBEAT_PATIENCE);
            let answer = match select(pin!(held.store.renew(claim, held.token)), &mut lost).await {
                Either::Left((answer, _)) => answer,
                Either::Right(_) => return,
            };
            match answer {
                Ok(true) => {
                    lost = unrenewed;
                    break;
                }
                Ok(false) => return,
                Err(_) => pause = AGAIN,
            }
        }
    }
}
