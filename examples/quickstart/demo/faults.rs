//! `--chaos`: which replica meets which fault, and when it is over.

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};

use super::{
    process::{Replica, Start},
    report::Report,
};
use steadfast::Slot;

/// What a replica meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// SIGKILL, and started again later.
    Killed,
    /// SIGSTOP until its lease has run out, then SIGCONT.
    Stopped,
    /// SIGTERM, as a deploy does it, and started again later.
    ShutDown,
}

/// At the end, and before the first fault, everybody is well for so many slots.
const QUIET: u32 = 4;

/// The faults of a demonstration.
pub(super) struct Faults {
    draw: StdRng,
    slots: u32,
    next: u32,
    /// Replica, fault, and the slot at which it is over.
    going_on: Vec<(usize, Fault, u32)>,
    met: Vec<Fault>,
}

impl Faults {
    pub(super) fn new(seed: u64, slots: u32) -> Self {
        Self { draw: StdRng::seed_from_u64(seed), slots, next: QUIET / 2, going_on: Vec::new(), met: Vec::new() }
    }

    pub(super) fn of(&self, fault: Fault) -> usize {
        self.met.iter().filter(|met| **met == fault).count()
    }

    /// How far into its slot the next fault strikes, in seconds of the application's clock.
    pub(super) fn moment(&mut self) -> u64 {
        self.draw.random_range(1..35)
    }

    /// In the middle of a slot: ends what is over, and begins what is due. One replica at least stays well.
    pub(super) async fn strike(
        &mut self,
        index: u32,
        slot: Slot,
        replicas: &mut [Replica],
        start: &Start<'_>,
        report: &Report,
    ) -> anyhow::Result<()> {
        // Who comes back in this slot is left alone in it.
        let well: Vec<usize> =
            (0..replicas.len()).filter(|at| !self.going_on.iter().any(|(replica, ..)| replica == at)).collect();
        for (replica, fault, _) in self.going_on.extract_if(.., |(_, _, until)| *until <= index) {
            let replica = &mut replicas[replica];
            match fault {
                Fault::Stopped => {
                    replica.resume().await?;
                    report.fault(slot, replica.number, "is resumed (SIGCONT)");
                }
                Fault::Killed | Fault::ShutDown => {
                    *replica = Replica::start(replica.number, start)?;
                    report.fault(slot, replica.number, "is started again");
                }
            }
        }
        if index < self.next || index + 2 * QUIET > self.slots || well.len() < 2 {
            return Ok(());
        }
        self.next = index + self.draw.random_range(2..=4);
        let faults = [Fault::Killed, Fault::Stopped, Fault::ShutDown];
        let (Some(at), Some(fault)) = (well.choose(&mut self.draw), faults.choose(&mut self.draw)) else {
            return Ok(());
        };
        let replica = &mut replicas[*at];
        let told = match fault {
            Fault::Killed => {
                replica.kill().await?;
                "is killed (SIGKILL)"
            }
            Fault::Stopped => {
                replica.stop().await?;
                "is stopped (SIGSTOP)"
            }
            Fault::ShutDown => {
                replica.shut_down().await?;
                "is shut down (SIGTERM)"
            }
        };
        report.fault(slot, replica.number, told);
        self.met.push(*fault);
        // A lease lasts a slot and a half.
        self.going_on.push((*at, *fault, index + self.draw.random_range(2..=4)));
        Ok(())
    }
}
