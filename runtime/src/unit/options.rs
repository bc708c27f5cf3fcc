//! The options of a unit that not every place it can run on has, each a bound that refuses it elsewhere.

#[diagnostic::on_unimplemented(
    message = "`begin` chooses among SQLite's ways to begin a transaction, and this unit runs on `{Self}`",
    label = "not a way to begin there",
    note = "leave `begin` out; where there are isolation levels, choose one, for example `isolation = serializable`"
)]
pub trait BeginsByMode {}

/// Refuses `begin = …` on another engine than SQLite.
pub const fn begins_by_mode<DB: BeginsByMode>() {}

#[diagnostic::on_unimplemented(
    message = "`in_doubt = resolve` asks the server what became of a transaction, and `{Self}` cannot say",
    label = "only PostgreSQL can say",
    note = "choose another answer, for example `in_doubt = fail`, or say why a replay is harmless: `idempotent = set_state`"
)]
pub trait Resolves {}

/// Refuses `in_doubt = resolve` where the engine cannot say.
pub const fn resolves<DB: Resolves>() {}

#[diagnostic::on_unimplemented(
    message = "isolation levels and `read_only` belong to a transaction that is begun, and a unit on `{Self}` is sent as one batch",
    label = "not an option there",
    note = "leave it out: a batch is applied as a whole, and what it decides by stands in its statements"
)]
pub trait Isolates {}

/// Refuses `isolation = …`, `read_only` and `idempotent = read` where there is nothing to set them on.
pub const fn isolates<DB: Isolates>() {}
