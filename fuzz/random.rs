//! Numbers that look random.

/// Always the same ones from the same start (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn from(start: u64) -> Self {
        // Zero would stay zero.
        Self(start ^ 0x9e37_79b9_7f4a_7c15 | 1)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(number).expect("31 bits") % end.max(1)
    }

    /// One of them; there has to be one.
    pub(crate) fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
