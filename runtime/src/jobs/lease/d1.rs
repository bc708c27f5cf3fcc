//! Leases in the application's D1 database.
//!
//! The statements are SQLite's, which D1 is. It has no transaction of several round trips, and the claim needs none: the write decides. What
//! D1 reports has no class, so a failed claim is not repeated: the slot is left to the next one.

use std::{fmt, sync::Arc, time::Duration};

use futures_util::future::{Either, select};
use worker::{
    D1Database, D1PreparedStatement, js_sys,
    send::SendFuture,
    wasm_bindgen::{JsCast, JsValue},
};

use super::{
    claim_text,
    error::{LeaseError, LeaseErrorKind},
    protocol::{self, Ask, LostCause, Row, TOLERANCE},
    seen::LeaseRow,
    store::{Claim, Claimed, LeaseStore},
    text::{self, TABLE, Texts},
};
use crate::{
    d1::{Error, number, shared},
    jobs::Slot,
    platform::{self, BoxFuture},
    schema::{self, InvalidTableName, Table},
};

/// The longest wait for an answer; D1's own limit of a statement is 30 s, as long as a clock may be off.
const LONGEST_ANSWER: Duration = Duration::from_secs(10);

/// Leases in the table `jobs_leases` of a D1 database.
///
/// ```no_run
/// use steadfast::worker::D1Leases;
///
/// # async fn start(env: worker::Env) -> Result<(), Box<dyn std::error::Error>> {
/// let leases = D1Leases::new(&env.d1("DB")?);
/// leases.install().await?;                 // or keep `steadfast::schema::leases::SQLITE` with your migrations
///
/// let others = D1Leases::new(&env.d1("DB")?).table("billing_leases")?;
/// println!("{}", others.schema());         // for the migrations, under that name
/// # Ok(()) }
/// ```
///
/// A failure of D1's is [`LeaseErrorKind::Unclassified`] and is not retried: the job does not run, one line says so, and the next slot asks
/// again. An answer that does not come within 10 s is such a failure. Every number travels as an `f64`, as D1 takes them.
pub struct D1Leases {
    database: D1Database,
    table: Table,
    statements: Arc<Statements>,
}

struct Statements {
    slot: String,
    manual: String,
    others: Texts,
    columns: String,
}

impl Statements {
    fn new(table: &str) -> Self {
        let clock = format!("CAST({} AS BIGINT)", text::SQLITE_CLOCK);
        Self {
            slot: numbered(&claim_text::claim_of_slot(&clock, table)),
            manual: numbered(&claim_text::claim_by_hand(&clock, table)),
            others: Texts::new(&clock, table, claim_text::ON_CONFLICT, |number| format!("?{number}")),
            columns: text::sqlite_columns("?1, ?2"),
        }
    }
}

/// D1 knows `?1` and not `$1`.
fn numbered(text: &str) -> String {
    text.replace('$', "?")
}

impl D1Leases {
    /// Leases in the table `jobs_leases` of this database.
    #[must_use]
    pub fn new(database: &D1Database) -> Self {
        Self::built(shared(database), Table::ours(TABLE))
    }

    fn built(database: D1Database, table: Table) -> Self {
        let statements = Arc::new(Statements::new(&table.quoted('"')));
        Self { database, table, statements }
    }

    /// Another table. Every replica must name the same one.
    ///
    /// # Errors
    /// [`InvalidTableName`]; nothing of it reaches the database.
    pub fn table(self, name: &str) -> Result<Self, InvalidTableName> {
        Ok(Self::built(self.database, Table::parse(name)?))
    }

    /// The table as SQL, under its name, to copy into the migrations.
    #[must_use]
    pub fn schema(&self) -> String {
        schema::named(schema::leases::SQLITE, TABLE, &self.table.quoted('"'))
    }

    /// Creates the table if it is not there; safe from many isolates at once.
    ///
    /// # Errors
    /// [`LeaseErrorKind::Unclassified`], with D1's text as the source.
    pub async fn install(&self) -> Result<(), LeaseError> {
        SendFuture::new(async {
            self.in_time(self.database.prepare(self.schema()).run()).await?;
            self.check().await
        })
        .await
    }

    /// Is the table there, with its columns?
    ///
    /// # Errors
    /// [`LeaseErrorKind::MissingTable`] names the call that creates it; [`LeaseErrorKind::Unclassified`] is what D1 says.
    pub async fn check(&self) -> Result<(), LeaseError> {
        SendFuture::new(async {
            let Err(error) = self.read("").await else { return Ok(()) };
            // D1 has no code for a missing table, and its text is not read: the columns are counted.
            let (schema, name) = match self.table.as_str().split_once('.') {
                Some((schema, name)) => (JsValue::from_str(schema), name),
                None => (JsValue::NULL, self.table.as_str()),
            };
            match self.one(&self.statements.columns, &[JsValue::from_str(name), schema]).await {
                Ok(Some(row)) if integer(&row, 0) == Some(text::SQLITE_COLUMNS) => Err(error),
                Ok(_) => Err(LeaseError::new(LeaseErrorKind::MissingTable).in_table(self.table.as_str())),
                Err(_) => Err(error),
            }
        })
        .await
    }

    fn bound(&self, statement: &str, values: &[JsValue]) -> Result<D1PreparedStatement, LeaseError> {
        self.database.prepare(statement).bind(values).map_err(|error| self.told(error))
    }

    /// The rows of a statement that has run to its end; each is an array.
    async fn rows(&self, statement: &str, values: &[JsValue]) -> Result<Vec<js_sys::Array>, LeaseError> {
        let statement = self.bound(statement, values)?;
        let rows = self.in_time(statement.raw_js_value()).await?;
        Ok(rows.into_iter().map(JsCast::unchecked_into).collect())
    }

    async fn one(&self, statement: &str, values: &[JsValue]) -> Result<Option<js_sys::Array>, LeaseError> {
        Ok(self.rows(statement, values).await?.into_iter().next())
    }

    async fn write(&self, statement: &str, values: &[JsValue]) -> Result<(), LeaseError> {
        let statement = self.bound(statement, values)?;
        self.in_time(statement.run()).await.map(drop)
    }

    /// D1's clock, and the job's row if there is one.
    async fn read(&self, name: &str) -> Result<(i64, Option<Row>), LeaseError> {
        let found = self.one(&self.statements.others.read, &[JsValue::from_str(name)]).await?;
        let read = found.and_then(|found| Some((integer(&found, 0)?, row(&found))));
        read.ok_or_else(|| self.failed(Error::new("the read of a lease had no row")))
    }

    async fn claim(&self, claim: &Claim<'_>) -> Result<Claimed, LeaseError> {
        let now = claim.now_millis();
        let ask = Ask { slot: claim.slot_millis(), now, run: claim.run() };
        let (database, row) = self.read(claim.name()).await?;
        let skew = now.saturating_sub(database);
        if let Some(lost) = protocol::decide(row.as_ref(), ask, database, TOLERANCE) {
            return Ok(Claimed::lost(lost, skew));
        }
        let (name, run) = (JsValue::from_str(claim.name()), JsValue::from_str(claim.run()));
        let mut values = vec![number(now), number(TOLERANCE), name, number(claim.lease_millis()), run];
        values.extend(ask.slot.map(number));
        let statement = if ask.slot.is_some() { &self.statements.slot } else { &self.statements.manual };
        if let Some(won) = self.one(statement, &values).await? {
            let token = integer(&won, 0).or(ask.slot);
            return token
                .map(|token| Claimed::won(token, skew))
                .ok_or_else(|| self.failed(Error::new("a claim had no token")));
        }
        // Somebody was faster; the row says how.
        let (database, row) = self.read(claim.name()).await?;
        let lost = protocol::decide(row.as_ref(), ask, database, TOLERANCE);
        Ok(Claimed::lost(lost.unwrap_or(LostCause::Held), skew))
    }

    async fn renew(&self, claim: &Claim<'_>, token: i64) -> Result<bool, LeaseError> {
        let (run, now, lease) = (claim.run(), claim.now_millis(), claim.lease_millis());
        let until = now.saturating_add(lease);
        let (name, holder) = (JsValue::from_str(claim.name()), JsValue::from_str(run));
        let values = [number(until), number(lease), name, number(token), holder, number(now), number(TOLERANCE)];
        self.write(&self.statements.others.renew, &values).await?;
        match self.read(claim.name()).await?.1.filter(|row| row.is_of(token, run) && row.lease_until.is_some()) {
            None => Ok(false),
            Some(row) if row.lease_until == Some(until) => Ok(true),
            Some(_) => Err(LeaseError::new(LeaseErrorKind::Skew)),
        }
    }

    async fn in_time<T>(&self, answer: impl Future<Output = worker::Result<T>>) -> Result<T, LeaseError> {
        match select(std::pin::pin!(answer), platform::sleep(LONGEST_ANSWER)).await {
            Either::Left((answer, _)) => answer.map_err(|error| self.told(error)),
            Either::Right(_) => Err(self.failed(Error::new(format!("D1 did not answer within {LONGEST_ANSWER:?}")))),
        }
    }

    fn told(&self, error: worker::Error) -> LeaseError {
        self.failed(Error::from(error))
    }

    fn failed(&self, error: Error) -> LeaseError {
        LeaseError::new(LeaseErrorKind::Unclassified).caused_by(error).in_table(self.table.as_str())
    }
}

/// JavaScript's numbers hold whole ones up to 2⁵³.
#[allow(clippy::cast_possible_truncation, reason = "saturates, and a row that says more was edited by hand")]
fn integer(row: &js_sys::Array, index: u32) -> Option<i64> {
    row.get(index).as_f64().map(|value| value as i64)
}

/// The columns after the clock, in the order of the read.
fn row(found: &js_sys::Array) -> Option<Row> {
    found.get(1).as_string()?;
    Some(Row {
        last_slot: integer(found, 2),
        lease_until: integer(found, 3),
        lease_ms: integer(found, 4),
        holder: found.get(5).as_string(),
        prev_slot: integer(found, 6),
        paused_at: integer(found, 7),
        pause_reason: found.get(8).as_string(),
    })
}

impl LeaseStore for D1Leases {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        Box::pin(SendFuture::new(self.check()))
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        Box::pin(SendFuture::new(self.claim(claim)))
    }

    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(SendFuture::new(async move {
            let (clock, row) = self.read(name).await?;
            Ok(protocol::holds(row.as_ref(), token, run, clock))
        }))
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(SendFuture::new(self.renew(claim, token)))
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(SendFuture::new(async move {
            self.write(&self.statements.others.release, &[JsValue::from_str(name), JsValue::from_str(run)]).await
        }))
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(SendFuture::new(async move {
            let values = [JsValue::from_str(name), number(slot.unix_millis()), JsValue::from_str(run)];
            self.write(&self.statements.others.hand_back, &values).await
        }))
    }

    fn pause<'a>(&'a self, name: &'a str, reason: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(SendFuture::new(async move {
            self.write(&self.statements.others.pause, &[JsValue::from_str(name), JsValue::from_str(reason)]).await
        }))
    }

    fn resume<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(SendFuture::new(async move {
            self.write(&self.statements.others.resume, &[JsValue::from_str(name)]).await
        }))
    }

    fn row<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<LeaseRow>, LeaseError>> {
        Box::pin(SendFuture::new(async move { Ok(self.read(name).await?.1.map(LeaseRow::from)) }))
    }

    fn database(&self) -> Option<&'static str> {
        Some("D1")
    }

    fn table(&self) -> &str {
        self.table.as_str()
    }
}

impl Clone for D1Leases {
    fn clone(&self) -> Self {
        Self { database: shared(&self.database), table: self.table.clone(), statements: Arc::clone(&self.statements) }
    }
}

impl fmt::Debug for D1Leases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("D1Leases").field("table", &self.table.as_str()).finish_non_exhaustive()
    }
}
