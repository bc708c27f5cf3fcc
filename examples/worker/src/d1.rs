//! Trials in D1, for the Worker.

use async_trait::async_trait;
use steadfast::{Slot, atomic_unit, d1::Tx};
use worker::D1Database;

use crate::{TrialError, Trials};

pub(crate) use steadfast::d1::Error;

/// Trials in a D1 database.
pub(crate) struct D1Trials(pub(crate) D1Database);

/// D1 takes every number as an `f64`; whole ones are exact up to 2⁵³.
#[allow(clippy::cast_precision_loss)]
fn number(value: i64) -> worker::wasm_bindgen::JsValue {
    (value as f64).into()
}

/// A batch has no `if`: the mail is written where the trial is still open, and then the trial is closed.
#[atomic_unit(retry = never)]
async fn close(tx: &mut Tx<'_>, trial: i64, slot: Slot) -> Result<(), TrialError> {
    let key = slot.key(&format!("trial-{trial}-closed"));
    let mail =
        "insert into outbox (key, body) select ?2, 'your trial has ended' from trials where id = ?1 and closed = 0";
    tx.execute(mail, &[number(trial), key.into()])?;
    tx.execute("update trials set closed = 1 where id = ?1 and closed = 0", &[number(trial)])?;
    Ok(())
}

#[async_trait(?Send)]
impl Trials for D1Trials {
    async fn due_at(&self, slot: Slot) -> Result<Vec<i64>, TrialError> {
        let due = self.0.prepare("select id from trials where closed = 0 and ends_at <= ?1 order by id");
        let rows =
            due.bind(&[number(slot.unix_seconds())]).map_err(Error::from)?.raw::<i64>().await.map_err(Error::from)?;
        Ok(rows.into_iter().flatten().collect())
    }

    async fn close(&self, trial: i64, slot: Slot) -> Result<(), TrialError> {
        close(&self.0, trial, slot).await
    }

    async fn open(&self) -> Result<i64, TrialError> {
        let open = self.0.prepare("select count(*) as n from trials where closed = 0").first(Some("n")).await;
        Ok(open.map_err(Error::from)?.unwrap_or(0))
    }
}
