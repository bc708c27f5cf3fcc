//! What a simulation says of itself.

use std::{collections::BTreeMap, fmt, time::Duration};

use crate::{
    faults::Kind,
    tally::{Tally, Wrong},
};

pub(crate) struct Report {
    pub(crate) tally: Tally,
    /// The faults, of each kind.
    pub(crate) met: BTreeMap<Kind, u64>,
    pub(crate) took: Duration,
}

impl Report {
    #[allow(clippy::cast_precision_loss, reason = "a rate is read, not counted with")]
    fn rate(&self) -> f64 {
        self.tally.slots as f64 / self.took.as_secs_f64()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tally, met, took } = self;
        let faults: u64 = met.values().sum();
        let (seconds, rate) = (took.as_secs_f64(), self.rate());
        writeln!(f, "    {} slots, {faults} faults, {seconds:.1} s, {rate:.0} slots/s", tally.slots)?;
        writeln!(
            f,
            "    history {:016x}: a seed repeats it, but for units that are cut off in the middle",
            tally.digest
        )?;
        for (count, what) in [
            (tally.begun, "runs begun"),
            (tally.begun_again, "of them again, after a hand-back"),
            (tally.handed_back, "slots handed back"),
            (tally.committed, "fenced units committed"),
            (tally.refused, "fenced units refused: their run was superseded"),
            (tally.unheard, "fenced units cut off in the middle"),
            (tally.outlived, "runs begun beside one that had been stopped past its lease"),
            (tally.clean, "slots with a replica that nothing had happened to"),
            (tally.not_run.values().sum(), "slots that nobody ran, because of"),
        ] {
            writeln!(f, "    {count:>10} {what}")?;
        }
        for (cause, count) in &tally.not_run {
            writeln!(f, "    {count:>10}     {cause:?}")?;
        }
        writeln!(f, "    must be 0:")?;
        for wrong in Wrong::ALL {
            writeln!(f, "    {:>10}     {wrong:?}", tally.of(*wrong))?;
        }
        for told in &tally.told {
            writeln!(f, "    {told}")?;
        }
        let list: Vec<_> = met.iter().map(|(kind, count)| format!("{kind:?} {count}")).collect();
        write!(f, "    faults: {}", list.join(", "))
    }
}
