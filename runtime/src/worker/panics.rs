//! A panic on a target that cannot unwind: the trap ends no promise, so an event would hang until the platform's limit. What is told of a panic
//! before the trap ends the event instead.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    panic::{set_hook, take_hook},
};

use worker::{
    js_sys::{Array, Function, Promise, futures::future_to_promise},
    wasm_bindgen::JsValue,
};

use super::scheduled::failed;

thread_local! {
    /// What ends each event that is under way, as failed.
    static UNDER_WAY: RefCell<BTreeMap<u32, Function>> = const { RefCell::new(BTreeMap::new()) };
    static NEXT: Cell<u32> = const { Cell::new(0) };
    /// How often the hook was set: before an application could set its own, and after.
    static SET: Cell<u32> = const { Cell::new(0) };
}

/// The event as a promise, which ends with it or at a panic, whichever is first. A panic ends all events of the isolate: none goes on.
pub(super) fn ended_by_a_panic(event: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> Promise {
    if SET.get() == 0 {
        set();
    }
    let number = NEXT.replace(NEXT.get().wrapping_add(1));
    let panicked = Promise::new(&mut |_, reject| {
        UNDER_WAY.with_borrow_mut(|events| events.insert(number, reject));
    });
    let event = future_to_promise(std::panic::AssertUnwindSafe(async move {
        let ended = event.await;
        UNDER_WAY.with_borrow_mut(|events| events.remove(&number));
        ended
    }));
    Promise::race(&Array::of2(&event, &panicked))
}

/// Once the application has set its hook: ours comes after it.
pub(super) fn listen() {
    if SET.get() == 1 {
        set();
    }
}

fn set() {
    SET.set(SET.get() + 1);
    let theirs = take_hook();
    set_hook(Box::new(move |panic| {
        theirs(panic);
        let events = UNDER_WAY.with(|events| events.try_borrow_mut().map(|mut events| std::mem::take(&mut *events)));
        for reject in events.unwrap_or_default().into_values() {
            let _ended = reject.call1(&JsValue::NULL, &failed(&panic.to_string()));
        }
    }));
}
