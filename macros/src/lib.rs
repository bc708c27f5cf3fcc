//! The macros of the crate `steadfast`: retries that cannot apply twice, and recurring jobs that run once.
//!
//! Use them through the crate `steadfast`, which re-exports them and holds all that they expand into. Every macro reads
//! what is written (`parse`), judges it (`model`, the only place that says no) and writes tokens (`expand`, which cannot
//! fail). It reports all mistakes of one invocation at once and emits the item all the same. A body is looked at token by
//! token for direct calls, by the crate `steadfast-lint`, and is otherwise the user's: nothing in it is parsed or changed.

mod atomic_unit;
mod chunks;
mod classify;
mod duration;
mod editor;
mod error;
mod form;
mod item_fn;
mod job;
mod literal;
mod options;
mod policies;
mod poll;
mod private;
mod provide;
mod provider_call;
mod registry;
mod repository;
mod scope;
mod suggest;
#[cfg(test)]
mod tests;
mod types;

use proc_macro::TokenStream;

/// Makes a function one transaction that is replayed as a whole, by a named policy.
///
/// The body has the transaction where the caller passes the pool. It commits on `Ok`, rolls back on `Err`, and is replayed
/// when the database refused it in a way that the policy names. BEGIN, COMMIT and ROLLBACK are the runtime's.
///
/// ```
/// # mod retry { pub use steadfast::policy::*; }
/// use steadfast::{Classify, atomic_unit, sqlite::Tx};
///
/// #[derive(Debug, thiserror::Error, Classify)]
/// pub enum TrialError {
///     #[error("trial {0} is unknown")]
///     Unknown(i64),
///     #[error(transparent)]
///     #[classify(transparent)]
///     Db(#[from] sqlx::Error),
///     #[error(transparent)]
///     #[classify(transparent)]
///     Unit(#[from] steadfast::UnitFailure),
/// }
///
/// #[atomic_unit(retry = contention)]
/// async fn close_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), TrialError> {
///     let closed = sqlx::query("update trials set closed = 1 where id = $1").bind(trial).execute(&mut *tx).await?;
///     if closed.rows_affected() == 0 { Err(TrialError::Unknown(trial)) } else { Ok(()) }
/// }
///
/// async fn close_two(db: &sqlx::SqlitePool) -> Result<(), TrialError> {
///     close_trial(db, 1).await?;
///     close_trial(db, 2).await
/// }
///
/// struct Trials {
///     db: sqlx::SqlitePool,
/// }
///
/// impl Trials {
///     #[atomic_unit(retry = transient, idempotent = set_state, pool = self.db)]
///     async fn rename(&self, tx: &mut Tx<'_>, trial: i64, name: &str) -> Result<(), TrialError> {
///         sqlx::query("update trials set name = $1 where id = $2").bind(name).bind(trial).execute(&mut *tx).await?;
///         Ok(())
///     }
/// }
///
/// async fn rename(trials: &Trials) -> Result<(), TrialError> {
///     trials.rename(1, "first").await
/// }
/// # fn main() {}
/// ```
///
/// # Options
///
/// - `retry = NAME` names the policy. A bare name means `crate::retry::NAME`; a longer path is taken as written; `never` means
///   no retry, and is said in words. Required.
/// - `idempotent = read | set_state | client_id(PARAM) | receipt(PARAM)` says why a replay after a lost connection is harmless: it
///   only reads (the database checks that), it sets a state, it writes under an id that exists before the first attempt, or the
///   runtime keeps a receipt: a row in the same transaction with what the unit returned. A call that finds the receipt of its key
///   returns what is recorded and runs no body. The result is stored as JSON, the key as text, in the table that
///   `steadfast::Receipts::new(&pool).install()` creates.
/// - `fence = PARAM` names a parameter `&Lease`, the lease of the exclusive job's run that calls the unit. The unit checks in its own
///   transaction that this run still holds it, and fails as `LeaseLost` with nothing applied if it does not.
/// - `in_doubt = fail | resolve` is the other answer: what was lost before COMMIT is replayed; what was lost in COMMIT is reported,
///   or PostgreSQL is asked what became of it (one more statement a unit). After a failover it cannot say, nor after a restart that
///   the unit was committed: that unit is in doubt. A policy that retries `connection_lost` needs one of the two answers.
/// - `isolation = repeatable_read | serializable`; left out, the level is the connection's own. SQLite is always serializable.
/// - `read_only` makes the database refuse writes.
/// - `begin = deferred | immediate | exclusive` chooses among SQLite's ways to begin. The default is `immediate`.
/// - `attempt_timeout = "2s"` bounds each attempt, from its wait for a connection on. Over in the body, nothing was applied; over in
///   COMMIT, the unit is in doubt. It is never retried. PostgreSQL ends the statement as well.
/// - `pool = EXPR` takes the pool from a place, for example `self.db`; the transaction is then no parameter for the caller.
/// - `allow(retry)`, `allow(sleep)` say that the body's `.retry(…)`, or its loop that sleeps or ticker, is your domain's own and no
///   retry; `allow(spawn)`, that what it spawns, such as a process, ends within the body.
/// - `crate = PATH` is where this crate finds steadfast when it is not `::steadfast`, for example `crate = ::shop_kit::steadfast`; in a
///   `macro_rules!` for other crates `$crate::…`. All macros have it: `policies! { crate = …; … }`, `registry! { crate = …; … }`,
///   `#[classify(crate = …)]`, `#[provide(crate = …)]`.
///
/// Other attributes stay. One that stands above is expanded first and sees the function as it is written, so `#[tracing::instrument]`
/// there makes a span for each attempt; one that stands below sees the function that callers see, and makes one for the whole unit:
/// there the transaction is the parameter `pool`, so it is `skip(pool)`. Documentation may stand on either side.
///
/// # What it expands to
///
/// ```text
/// async fn close_trial(pool: &Pool, trial: i64) -> Result<(), TrialError> {
///     // a type called `close_trial`, and the bounds that refuse a policy that does not fit it
///     let mut unit = …;
///     // inside of another unit: fails as `Nested`, nothing applied
///     loop {
///         let ended = match checkout.open(pool, …).await {      // a connection, and BEGIN
///             Ok(mut transaction) => {
///                 let trial = trial.clone();                    // each attempt has its own; `&` arguments are borrowed
///                 let result = unit.body(async { let tx = &mut transaction; /* your body */ }).await;
///                 unit.finish(transaction, result).await        // COMMIT or ROLLBACK
///             }
///             Err(refused) => unit.refused(refused),
///         };
///         checkout.release().await;                             // nothing is held while waiting
///         match unit.next(ended).await { /* done, or wait and again */ }
///     }
/// }
/// ```
///
/// It stands on free functions, on methods with `&self` (of traits too) and on generic functions, above or below `#[job]`. Under
/// `#[async_trait]` the unit is a free function.
///
/// # Compile errors
///
/// Refused are, each with its fix: an expression where a policy's name is due; no `retry`; a function that is not async or does not
/// return a `Result`; no `Tx`, or two; an argument by `&mut`, which would show a replay the first attempt's changes; a pool
/// or a connection of sea-orm among the arguments, whose statements commit by themselves; and in the body a spawned task, a retry,
/// a loop that sleeps, or a ticker. A unit cannot be called with a `Tx`, so there is no way to retry inside of a transaction.
///
/// Some mistakes are told by rustc in its own words:
///
/// - E0308, "expected `&Pool<…>`, found `&mut Tx<…>`": a unit begins its own transaction, so it is called with the pool. What two
///   units share is a function that takes `&mut Tx<'_>`, for example under [`repository`](macro@repository).
/// - E0432 or E0433, "could not find `retry` in the crate root": policies live in `src/retry.rs`; its first line may be
///   `pub use steadfast::policy::*;`, and `main.rs` has `mod retry;`.
/// - E0382, "use of moved value: `tx`": statements take `&mut *tx`.
/// - "future cannot be sent between threads safely": the body holds something that is not `Send` over an `.await`.
#[proc_macro_attribute]
pub fn atomic_unit(args: TokenStream, item: TokenStream) -> TokenStream {
    atomic_unit::expand(args.into(), item.into()).into()
}

/// Retries work that is not a transaction, such as a call of a provider, where that is harmless.
///
/// ```
/// # mod retry {
/// #     steadfast::policies! {
/// #         pub policy provider = capped(base = "200ms", cap = "2s", retries = 5).on(rate_limited, unavailable);
/// #     }
/// # }
/// # #[derive(Debug, thiserror::Error, steadfast::Classify)]
/// # pub enum PaymentError {
/// #     #[error("unavailable")] #[classify(unavailable)] Unavailable,
/// #     #[error(transparent)] #[classify(transparent)] Unit(#[from] steadfast::UnitFailure),
/// # }
/// # async fn post(_: &str, _: u64) -> Result<(), PaymentError> { Ok(()) }
/// use steadfast::provider_call;
///
/// #[provider_call(retry = provider, idempotent = client_id(key))]
/// async fn charge(key: &str, cents: u64) -> Result<(), PaymentError> {
///     post(key, cents).await
/// }
/// # fn main() {}
/// ```
///
/// # Options
///
/// - `retry = NAME` names the policy, as in [`atomic_unit`](macro@atomic_unit). One that retries contention does not fit: only a
///   database rolls back. Required.
/// - `idempotent = read | set_state | client_id(PARAM)` says why a repeat is harmless. A policy that retries `unavailable` or
///   `connection_lost` needs it, since either can mean "done"; `rate_limited` needs nothing.
/// - `allow(retry)`, `allow(sleep)`, `allow(spawn)`, `crate = PATH` as in [`atomic_unit`](macro@atomic_unit).
///
/// # What it expands to
///
/// The same function around a loop: the body with a copy of each argument taken by value, then the answer or a wait.
///
/// # Compile errors
///
/// Those of [`atomic_unit`](macro@atomic_unit), and a `Tx` among the parameters: that is an atomic unit.
#[proc_macro_attribute]
pub fn provider_call(args: TokenStream, item: TokenStream) -> TokenStream {
    provider_call::expand(args.into(), item.into()).into()
}

/// Checks functions that run inside of their caller's transaction: they never retry, and begin nothing.
///
/// It stands on an `impl` block, a trait or a function, and changes nothing.
///
/// ```
/// use steadfast::{repository, sqlite::Tx};
///
/// struct Trials;
///
/// #[repository]
/// impl Trials {
///     async fn close(&self, tx: &mut Tx<'_>, trial: i64) -> Result<(), sqlx::Error> {
///         sqlx::query("update trials set closed = 1 where id = $1").bind(trial).execute(&mut *tx).await?;
///         Ok(())
///     }
///
///     async fn count(&self, db: impl sqlx::SqliteExecutor<'_>) -> Result<i64, sqlx::Error> {
///         sqlx::query_scalar("select count(*) from trials").fetch_one(db).await
///     }
/// }
/// ```
///
/// # Options
///
/// - `allow(retry)`, `allow(sleep)` as in [`atomic_unit`](macro@atomic_unit).
///
/// # Compile errors
///
/// Refused are `#[atomic_unit]` and `#[provider_call]` inside, an async function without `&mut Tx<'_>` or an executor
/// (`impl SqliteExecutor<'_>`, sea-orm's `&impl ConnectionTrait`), a pool among the arguments, `.begin(…)` and `.acquire(…)`, a
/// retry, a loop that sleeps, a ticker, and `policies!`.
#[proc_macro_attribute]
pub fn repository(args: TokenStream, item: TokenStream) -> TokenStream {
    repository::expand(args.into(), item.into()).into()
}

/// Makes a function a job that runs at its slots: minutes of a cron line, in UTC.
///
/// The first parameter is the slot. The others are what the application provides, by `&`, `&JobClock`, and of an exclusive job
/// `&Lease`, the fence of its units. A job works on what is due as of its slot, so a missed one heals with the next. The function stays
/// callable as it is.
///
/// ```
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("mail")]
/// # pub struct MailError;
/// # pub struct Mailer;
/// # impl Mailer { async fn send_due(&self, _: Slot) -> Result<(), MailError> { Ok(()) } }
/// use steadfast::{Slot, job};
///
/// #[job(cron = "0 9 * * MON-FRI", timeout = "5m", exclusive, name = "mail.daily-digest")]
/// pub async fn daily_digest(slot: Slot, mailer: &Mailer) -> Result<(), MailError> {
///     mailer.send_due(slot).await
/// }
/// # fn main() {}
/// ```
///
/// # Options
///
/// - `cron = "MINUTE HOUR DAY MONTH WEEKDAY"`: five fields in UTC, in the dialect that every parser reads alike. `*`, `*/n`, lists,
///   ascending ranges and `a-b/n`; months also by name, weekdays only by name; one of day and weekday is `*`. Required.
/// - `timeout = "5m"`: the longest that a run may take, in `ms`, `s`, `m` or `h`. Required.
/// - `exclusive`: one replica runs a slot, under a lease of `timeout` and one minute. `timeout` is then at most 15 minutes.
/// - `name = "billing.close-expired-trials"`: the key of the lease and the label of metrics. The default is made of crate,
///   modules and function; a job that moves needs the name that it had, or it becomes a second job.
/// - `overlap = skip`: a slot that finds the run before it still going on is skipped. Due where a run can last longer than the
///   shortest gap between two slots.
/// - `heartbeat`: the lease of an exclusive job lasts 3 minutes and is renewed every minute, so that another replica does not wait for
///   the whole timeout after a crash. Needed above 15 minutes. A run whose lease was not renewed for 2 minutes is dropped; one that
///   hangs still ends at its timeout.
/// - `on_shutdown = hand_back`: a run that the shutdown cuts off gives its slot back, and another replica runs it, from its start.
///   Without it the slot stays taken.
/// - `catch_up = "12h"`: an exclusive job that was not running at its slot runs the latest one that it missed once at the start, if that
///   is no longer ago. Never at the job's first start, nor after its cron line was changed.
/// - `splay = "30s"`: the start is moved behind the slot by less than this, by the job's name, so that jobs of one minute do not start
///   together. The slot stays what it is.
/// - `allow(clock)` says that a read of the wall clock in the body, or a name such as `last_run` that is set from one, does not decide
///   what the job works on. `allow(retry)`, `allow(sleep)` say that the body's `.retry(…)`, or its loop that sleeps or ticker, is your
///   domain's own.
/// - `crate = PATH` as in [`atomic_unit`](macro@atomic_unit).
///
/// # What it expands to
///
/// The function unchanged, and beside it a hidden type of the same name with the schedule as constants: five bit masks and one
/// canonical text. Nothing is parsed at run time.
///
/// # Compile errors
///
/// Refused are, each with its fix: `heartbeat`, `on_shutdown`, `catch_up` or `&Lease` on a job that is not exclusive, a `catch_up`
/// longer than the gap between two slots, a `splay` that is not shorter; a cron line that parsers read differently (numbers of weekdays, day and weekday together, ranges that
/// run backwards, `a/n`, `@daily`, six fields, time zones), one that never fires, a timeout that is missing or zero, a lease longer than the
/// gap without `overlap = skip`, a first parameter that is no `Slot`, dependencies by value or by `&mut`, and in the body
/// reads of the wall clock, a cursor in memory, a retry without a name, a loop that sleeps and a ticker.
#[proc_macro_attribute]
pub fn job(args: TokenStream, item: TokenStream) -> TokenStream {
    job::expand(args.into(), item.into()).into()
}

/// Makes a function a poll: it runs again and again in every process, less often while it fails.
///
/// It looks for work that cannot wait for a slot, an outbox or a queue, and returns a
/// [`Tick`](../steadfast/enum.Tick.html): `Tick::More` when there is probably more, and it runs again at once; `Tick::Idle` when it
/// rests. The parameters are what the application provides, by `&`, and `&JobClock`. It stands in [`registry!`](macro@registry) beside
/// the jobs, and the function stays callable as it is.
///
/// ```
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("mail")]
/// # pub struct MailError;
/// # pub struct Mail;
/// # pub struct Outbox;
/// # impl Outbox {
/// #     async fn due(&self, _: usize) -> Result<Vec<Mail>, MailError> { Ok(vec![]) }
/// #     async fn send(&self, _: &Mail) -> Result<(), MailError> { Ok(()) }
/// # }
/// use steadfast::{Provide, Tick, poll, registry};
///
/// #[poll(every = "1s", timeout = "1m", name = "mail.relay")]
/// async fn relay(outbox: &Outbox) -> Result<Tick, MailError> {
///     let mails = outbox.due(100).await?;
///     // A mail that cannot be sent is logged, and stays due.
///     let sent = steadfast::each(&mails, 5, async |mail| outbox.send(mail).await).await;
///     Ok(if mails.len() == 100 && sent.is_clean() { Tick::More } else { Tick::Idle })
/// }
///
/// #[derive(Provide)]
/// struct App {
///     outbox: Outbox,
/// }
///
/// registry! { static JOBS for App = [relay]; }
/// # fn main() {}
/// ```
///
/// A tick that fails, panics or takes too long is one event, and the wait doubles: 2, 4, 8 seconds and so on up to a minute for
/// `every = "1s"`, of which half is drawn at random, so that processes that fail together come back apart; never less than `every`. The
/// first one that succeeds resets it. On a shutdown no tick begins, and the one that runs may end within the
/// grace period. Each process has its own loop, so two may look at once: what one of them takes is said by a row
/// (`FOR UPDATE SKIP LOCKED`, or a unit that marks it).
///
/// # Options
///
/// - `every = "1s"`: the wait after an idle tick, in `ms` or `s`, at most `1m`. Beyond that it is a [`job`](macro@job). Required.
/// - `timeout = "30s"`: the longest that a tick may take, at most `15m`; a tick that hangs would be the last one. Required.
/// - `name = "mail.relay"`: the label of metrics, by default made of crate, modules and function.
/// - `allow(clock)`, `allow(retry)`, `allow(sleep)` say that a cursor such as `last_tick`, a `.retry(…)`, or a loop that sleeps or ticker
///   in the body is your domain's own.
/// - `crate = PATH` as in [`atomic_unit`](macro@atomic_unit).
///
/// # What it expands to
///
/// The function unchanged, and beside it a hidden type of the same name.
///
/// # Compile errors
///
/// Refused are, each with its fix: an `every` that is missing, zero or above a minute, a `timeout` that is missing, zero or above 15
/// minutes, the keys of a job, a slot or a lease among the parameters, dependencies by value or by `&mut`, a return type that is no
/// `Result<Tick, _>`, and in the body a cursor in memory, a retry without a name, a loop that sleeps and a ticker.
#[proc_macro_attribute]
pub fn poll(args: TokenStream, item: TokenStream) -> TokenStream {
    poll::expand(args.into(), item.into()).into()
}

/// Declares the retry policies and the schedules of a crate, in its module `crate::retry` and nowhere else.
///
/// ```
/// mod retry {
///     steadfast::policies! {
///         /// The database rolled it back: safe on any unit.
///         pub policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);
///         /// Also a lost connection: only where a replay is harmless.
///         pub policy transient = capped(base = "200ms", cap = "2s", retries = 3, jitter = equal)
///             .on(contention, connection_lost);
///         /// A provider: retries are at most a tenth of the calls of this process.
///         pub policy provider = capped(base = "200ms", cap = "2s", retries = 5)
///             .on(rate_limited, unavailable)
///             .budget(ratio = 0.1);
///         /// The relay of an outbox: the time of the next attempt, from the count in the row.
///         pub policy relay = durable(base = "1s", cap = "1h", attempts = 20);
///         /// A poll: a second after each pass, without an end.
///         pub schedule tick = spaced("1s");
///         /// A provider that has a fallback.
///         pub schedule patient = exponential(base = "100ms", cap = "10s").jittered().up_to(5);
///     }
/// }
///
/// fn next_attempt(failed: u32, row: i64) -> Option<std::time::Duration> {
///     retry::relay::delay(failed, &row).map(Into::into)       // `None`: the attempts are spent
/// }
/// # fn main() {}
/// ```
///
/// # Options
///
/// Of `capped(…)`, retries in process:
///
/// - `base = "50ms"` is the delay after the first attempt. It doubles with each further one. Required.
/// - `cap = "200ms"` is the longest single delay, jitter included. Required.
/// - `retries = 3` is how often the work is tried again, 1 to 10 times. Required.
/// - `jitter = full | equal | decorrelated | proportional` is how a delay is drawn; the default is `full`.
/// - `.on(…)` names what is retried: `contention` (all of `deadlock`, `serialization`, `lock_timeout`, which can also be named one by
///   one), `connection_lost`, `rate_limited`, `unavailable`. Required.
/// - `.gate()` makes a unit wait, after its first contention failure, for its turn in a fair queue of this process. Other processes
///   are still met with jitter. For rows that everybody wants at once; the wait is bounded by the policy's longest total wait.
/// - `.budget(ratio = 0.1, min_per_second = 1)` bounds the retries of all callers in this process together: each call earns the ratio
///   (exact to six digits), each retry costs one, and so many a second are free (1 unless it says another, 0 to 1000). At most a
///   hundred are saved up. A process begins with the free ones: the first call that fails in it is tried once more, whatever `retries`
///   says. A retry that cannot be paid is not made: the failure comes back, with
///   [`Stopped::Budget`](../steadfast/enum.Stopped.html).
/// - `.on_retry(PATH)` names a function `fn(&Retrying<'_>)` that sees each retry before its wait. Attempts log nothing by themselves.
///
/// Of `durable(…)`, work that a row remembers: `base` and `cap` as above, and `attempts`, 2 to 1000. It retries nothing itself.
/// `NAME::delay(failed, &key)` is the wait after so many failures, the one that has just happened counted; `key` is anything with
/// `Display` that tells rows apart. `NAME::ATTEMPTS` is their number.
///
/// Of a `schedule`, which [`steadfast::schedule`](../steadfast/schedule/index.html) takes by its name; one of
///
/// - `recurs(3)`: three more runs after the first, without a delay.
/// - `spaced("1s")`: a wait after each run.
/// - `fixed("1s")`: a cadence, counted from the start of the first run. What a long run missed is left out.
/// - `exponential(base = "100ms", cap = "10s")`: a delay that doubles. Both are required.
/// - `fibonacci(base = "100ms", cap = "10s")`: a delay that is the sum of the two before. Both are required.
///
/// and behind it
///
/// - `.jittered()`, `.jittered(full | equal | proportional)`: each delay is drawn, downward; the default is `proportional`, its upper
///   fifth. A retry needs it.
/// - `.up_to(5)`: five more runs after the first, at most; `.up_to("5m")`: no run begins later than this after the first. Each may
///   stand once. A retry needs one of them.
///
/// # What it expands to
///
/// A type for each policy and schedule, documented with its numbers and its longest total wait or its end. It has no name among the values, so
/// `let contention = …` stays legal.
///
/// # Compile errors
///
/// Refused are a policy without an end, a cap below the base, a kind that is never retried (with the reason), a schedule whose
/// delays grow without a cap, that waits nothing or never recurs, two items of one name, the name `never`, and a second block.
#[proc_macro]
pub fn policies(input: TokenStream) -> TokenStream {
    policies::expand(input.into()).into()
}

/// Lists the jobs and the polls that an application runs.
///
/// ```
/// # mod mail {
/// #     use steadfast::{Slot, job};
/// #     #[job(cron = "0 9 * * *", timeout = "5m")]
/// #     pub async fn digest(_slot: Slot, _db: &sqlx::SqlitePool) -> Result<(), sqlx::Error> { Ok(()) }
/// # }
/// #[derive(steadfast::Provide)]
/// pub struct App {
///     db: sqlx::SqlitePool,
/// }
///
/// steadfast::registry! {
///     pub static JOBS for App = [mail::digest];
/// }
///
/// assert_eq!(JOBS.iter().next().map(|job| job.cron_text), Some("0 9 * * *"));
/// ```
///
/// An entry may stand under `#[cfg(…)]`.
///
/// # What it expands to
///
/// A static whose type says whether one of the jobs is exclusive, so that a lease store cannot be forgotten.
///
/// # Compile errors
///
/// Refused are a path that is neither job nor poll, one whose parameters the application does not provide, two of one name, and an
/// empty list.
#[proc_macro]
pub fn registry(input: TokenStream) -> TokenStream {
    registry::expand(input.into()).into()
}

/// Says of each variant of an error whether a later attempt could succeed.
///
/// A variant without a word is a domain error, which is never retried. One that wraps another error has to say what it is.
///
/// ```
/// use std::time::Duration;
///
/// #[derive(Debug, thiserror::Error, steadfast::Classify)]
/// pub enum PaymentError {
///     #[error("card refused")]
///     Refused,
///     #[error("asked to wait")]
///     #[classify(rate_limited, retry_after = wait)]
///     TooMany { wait: Option<Duration> },
///     #[error("no answer")]
///     #[classify(unavailable)]
///     Down,
///     #[error(transparent)]
///     #[classify(transparent)]
///     Db(#[from] sqlx::Error),
///     #[error(transparent)]
///     #[classify(with = of_io)]
///     Io(#[from] std::io::Error),
/// }
///
/// fn of_io(error: &std::io::Error) -> Option<steadfast::Failure> {
///     (error.kind() == std::io::ErrorKind::TimedOut).then_some(steadfast::Failure::of(steadfast::Kind::Unavailable))
/// }
/// # fn main() {}
/// ```
///
/// # Options
///
/// - `transparent`: what the only field says.
/// - `domain`: never retried, said in words.
/// - `rate_limited`, `unavailable`: what a provider answered; `retry_after = FIELD` is a `Duration`, or an `Option` of one.
/// - `with = PATH`: what this function says of the only field, `fn(&Field) -> Option<Failure>`; for types of other crates.
/// - `crate = PATH`, in an attribute of its own above the type, as in [`atomic_unit`](macro@atomic_unit).
///
/// On a struct the words stand above it.
#[proc_macro_derive(Classify, attributes(classify))]
pub fn classify(input: TokenStream) -> TokenStream {
    classify::expand(input.into()).into()
}

/// Hands the fields of an application to its jobs, each by its type.
///
/// ```
/// use std::sync::Arc;
///
/// pub trait Mailer: Send + Sync {}
///
/// #[derive(steadfast::Provide)]
/// pub struct App {
///     db: sqlx::SqlitePool,
///     /// A job takes `&Arc<dyn Mailer>`, or simply `&dyn Mailer`.
///     mailer: Arc<dyn Mailer>,
///     #[provide(skip)]
///     archive: sqlx::SqlitePool,
/// }
/// ```
///
/// # Options
///
/// - `#[provide(skip)]` leaves a field out.
/// - `#[provide(crate = PATH)]` above the type, as in [`atomic_unit`](macro@atomic_unit).
///
/// # Compile errors
///
/// Refused are two fields of one type: a job could not say which it means.
#[proc_macro_derive(Provide, attributes(provide))]
pub fn provide(input: TokenStream) -> TokenStream {
    provide::expand(input.into()).into()
}
