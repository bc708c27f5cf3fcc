//! What was hung onto a schedule: `.tap(…)` and `.modify_delay(…)`.

use std::{marker::PhantomData, time::Duration};

use super::Step;

/// The hooks of a schedule, for work that feeds in `I`.
#[diagnostic::on_unimplemented(
    message = "a hook of this schedule expects something else than `{I}`, which the work feeds in",
    label = "the hooks and the work do not fit together",
    note = "a `repeat` feeds in the value of a run, a `retry_or_else` its error: write that type in the hook, for example `|step: &Step<'_, {I}>|`"
)]
pub trait Hooks<I> {
    /// The delay after all changes.
    fn delay(&mut self, step: Step<'_, I>) -> Duration;
    /// The step is taken.
    fn tap(&mut self, step: &Step<'_, I>);
}

/// None.
#[derive(Debug)]
pub struct NoHooks;

/// The hooks before, and one that looks.
#[derive(Debug)]
pub struct Tapped<H, F, I> {
    pub(super) before: H,
    pub(super) tap: F,
    pub(super) input: PhantomData<fn(I)>,
}

/// The hooks before, and one that changes the delay.
#[derive(Debug)]
pub struct Modified<H, F, I> {
    pub(super) before: H,
    pub(super) modify: F,
    pub(super) input: PhantomData<fn(I)>,
}

#[diagnostic::do_not_recommend]
impl<I> Hooks<I> for NoHooks {
    fn delay(&mut self, step: Step<'_, I>) -> Duration {
        step.delay
    }

    fn tap(&mut self, _: &Step<'_, I>) {}
}

#[diagnostic::do_not_recommend]
impl<I, H: Hooks<I>, F: FnMut(&Step<'_, I>)> Hooks<I> for Tapped<H, F, I> {
    fn delay(&mut self, step: Step<'_, I>) -> Duration {
        self.before.delay(step)
    }

    fn tap(&mut self, step: &Step<'_, I>) {
        self.before.tap(step);
        (self.tap)(step);
    }
}

#[diagnostic::do_not_recommend]
impl<I, H: Hooks<I>, F: FnMut(&Step<'_, I>) -> Duration> Hooks<I> for Modified<H, F, I> {
    fn delay(&mut self, step: Step<'_, I>) -> Duration {
        let delay = self.before.delay(step);
        (self.modify)(&Step { delay, ..step })
    }

    fn tap(&mut self, step: &Step<'_, I>) {
        self.before.tap(step);
    }
}
