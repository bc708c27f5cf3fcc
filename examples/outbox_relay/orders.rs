//! Orders: each is placed together with the event that tells of it.

use steadfast::atomic_unit;

use crate::{
    db::{Error, Tx},
    outbox,
};

/// One transaction: no order without its event, and no event without its order.
#[atomic_unit(retry = contention)]
pub async fn place(tx: &mut Tx<'_>, id: i64, item: &str) -> Result<(), Error> {
    sqlx::query("insert into orders (id, item) values ($1, $2)").bind(id).bind(item).execute(&mut *tx).await?;
    outbox::append(tx, id, item).await
}
