//! Draws that a seed repeats, whatever version of whatever crate is at hand: `SplitMix64`.

/// A generator.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// Uniform in `low..=high`; the bias of the remainder is far below what a fault plan could show.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low).saturating_add(1);
        low.saturating_add_unsigned(self.next() % span)
    }

    /// True so many times in a thousand.
    pub(crate) fn permille(&mut self, share: u64) -> bool {
        self.next() % 1000 < share
    }

    pub(crate) fn either(&mut self) -> bool {
        self.permille(500)
    }

    /// One of them, by weight.
    pub(crate) fn pick<T: Copy>(&mut self, weighted: &[(u64, T)]) -> T {
        let mut at = self.next() % weighted.iter().map(|(weight, _)| weight).sum::<u64>();
        for (weight, item) in weighted {
            match at.checked_sub(*weight) {
                Some(left) => at = left,
                None => return *item,
            }
        }
        unreachable!("the draw is below the sum")
    }

    pub(crate) fn index(&mut self, of: usize) -> usize {
        usize::try_from(self.next() % of as u64).unwrap_or(0)
    }
}

pub(crate) const fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
