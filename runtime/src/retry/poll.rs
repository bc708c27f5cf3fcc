//! Values that a task carries while it is polled: seen by what runs inside of a future, and by nothing that it spawns.

use std::{cell::Cell, thread::LocalKey};

/// Sets the value until this is dropped. For the length of one poll, so that it follows the task from thread to thread.
#[inline]
pub(super) fn during<T: Copy + 'static>(local: &'static LocalKey<Cell<T>>, value: T) -> impl Drop {
    struct Restore<T: Copy + 'static>(&'static LocalKey<Cell<T>>, T);
    impl<T: Copy> Drop for Restore<T> {
        #[inline]
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    Restore(local, local.replace(value))
}
