//! A short lease that is renewed while its run is alive.

use std::pin::pin;

use futures_util::future::{Either, select};

use super::{HEARTBEAT, HEARTBEAT_LEASE, HEARTBEAT_PATIENCE, held::Held, store::Claim};
use crate::{
    clock::JobClock,
    jobs::{job::Meta, slot::Slot},
};

/// How soon a renewal that the store could not answer is tried again: a twelfth of the patience.
const AGAIN: std::time::Duration = std::time::Duration::from_secs(10);

/// Renews the lease; ends when it is lost: another run has it, or it was not renewed in time.
pub(crate) async fn renewed_until_lost(held: &Held, job: &Meta, slot: Slot, clock: &JobClock) {
    loop {
        // A wait, so that no step of the wall clock shortens or prolongs it.
        let mut lost = clock.sleep(HEARTBEAT_PATIENCE);
        let mut pause = HEARTBEAT;
        loop {
            if let Either::Right(_) = select(clock.sleep(pause), &mut lost).await {
                return;
            }
            let claim = Claim::new(job.name, slot, HEARTBEAT_LEASE, &held.run, clock);
            match select(pin!(held.store.renew(&claim)), &mut lost).await {
                Either::Left((Ok(true), _)) => break,
                Either::Left((Ok(false), _)) | Either::Right(_) => return,
                Either::Left((Err(_), _)) => pause = AGAIN,
            }
        }
    }
}
