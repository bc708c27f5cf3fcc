//! The statement against the decision in Rust, on rows of all kinds. The stores' own tests are in `tests/leases`.

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};
use sqlx::{Connection as _, Sqlite, SqliteConnection};

use super::super::protocol::Row;
use super::*;
use crate::jobs::{
    LEASE_MARGIN, RunId, Slot,
    lease::{
        protocol::{LIE, LONGEST_LEASE, NEVER, TOLERANCE, decide},
        row::read_row,
        sql::Statements,
    },
};

const NOW: i64 = 1_767_322_800_000;
const MINUTE: i64 = 60_000;

async fn table() -> SqliteConnection {
    let mut connection = SqliteConnection::connect("sqlite::memory:").await.expect("opened");
    let sql = "CREATE TABLE jobs_leases (name TEXT PRIMARY KEY, last_slot INTEGER, lease_until INTEGER, lease_ms INTEGER, \
               holder TEXT, prev_slot INTEGER, paused_at INTEGER, pause_reason TEXT); CREATE TABLE its_clock (millis INTEGER)";
    sqlx::raw_sql(sql).execute(&mut connection).await.expect("created");
    connection
}

fn statements(clock: &str) -> (Upserts, Statements) {
    Sqlite::statements(clock, "jobs_leases")
}

/// A value of a column: near the present, where the clauses meet, or anything.
fn value(rng: &mut StdRng) -> Option<i64> {
    let edges =
        [0, 1, -1, MINUTE, -MINUTE, LIE, LIE + 1, 6 * MINUTE, LIE + 6 * MINUTE, LIE + 6 * MINUTE + 1, TOLERANCE];
    match rng.random_range(0..8) {
        0 => None,
        1 => [i64::MIN, i64::MAX, 0, -1, LONGEST_LEASE, LONGEST_LEASE + 1].choose(rng).copied(),
        2 => Some(rng.random()),
        _ => edges.choose(rng).map(|edge| NOW + edge),
    }
}

/// Without the read before it, the write alone decides as the decision does: both are the judge.
#[tokio::test]
async fn the_statement_decides_as_the_decision_does() {
    let mut rng = StdRng::seed_from_u64(3);
    let mut connection = table().await;
    let (claims, statements) = statements("(SELECT millis FROM its_clock)");
    let mut won_some = 0;
    for case in 0..4000 {
        let row = Row {
            last_slot: value(&mut rng),
            lease_until: value(&mut rng),
            lease_ms: if rng.random() { Some(6 * MINUTE) } else { value(&mut rng) },
            holder: [None, Some("mine".to_owned()), Some("other".to_owned())].choose(&mut rng).cloned().flatten(),
            prev_slot: None,
            paused_at: if rng.random_range(0..5) == 0 { value(&mut rng) } else { None },
            pause_reason: None,
        };
        let absent = rng.random_range(0..20) == 0;
        let database = NOW + [0, 0, 0, TOLERANCE, -TOLERANCE, TOLERANCE + 1, -TOLERANCE - 1][rng.random_range(0..7)];
        // Of a slot, now and then one that is not yet; or by hand.
        let ahead = [0, 0, -MINUTE, -MINUTE, TOLERANCE, TOLERANCE + 1, LIE][rng.random_range(0..7)];
        let slot = (rng.random_range(0..4) != 0).then_some(NOW + ahead);
        sqlx::raw_sql("DELETE FROM jobs_leases; DELETE FROM its_clock")
            .execute(&mut connection)
            .await
            .expect("emptied");
        sqlx::query("INSERT INTO its_clock VALUES ($1)").bind(database).execute(&mut connection).await.expect("set");
        if !absent {
            sqlx::query("INSERT INTO jobs_leases VALUES ('job', $1, $2, $3, $4, 7, $5, 'why')")
                .bind(row.last_slot)
                .bind(row.lease_until)
                .bind(row.lease_ms)
                .bind(row.holder.as_deref())
                .bind(row.paused_at)
                .execute(&mut connection)
                .await
                .expect("inserted");
        }
        let ask = Ask { slot, now: NOW, run: "mine" };
        let lost = decide((!absent).then_some(&row), ask, database, TOLERANCE);
        let text = if slot.is_some() { &claims.slot } else { &claims.manual };
        let query = sqlx::query(text.clone()).bind(NOW).bind(TOLERANCE).bind("job").bind(6 * MINUTE).bind("mine");
        let query = if let Some(slot) = slot { query.bind(slot) } else { query };
        let won = query.fetch_all(&mut connection).await.expect("no row makes the claim fail");
        if let Some(token) = won.first().map(|won| won.get::<i64, _>(0)) {
            let there = if absent { None } else { row.last_slot };
            assert_eq!(token, slot.unwrap_or(there.unwrap_or(NEVER)), "case {case}: {row:?}");
        }
        assert_eq!(won.len() == 1, lost.is_none(), "case {case}: {row:?} absent={absent} {lost:?} {}", database - NOW);
        won_some += won.len();
        let (clock, row) = read_row::<Sqlite>(&mut connection, &statements.read, "job").await.expect("read");
        assert_eq!(clock, database);
        let again = |ask| decide(row.as_ref(), ask, database, TOLERANCE);
        if lost.is_none() {
            assert_eq!(again(ask), None, "the same run may ask again");
            assert!(again(Ask { run: "third", ..ask }).is_some(), "and nobody else");
        } else {
            assert_eq!(again(ask), lost, "nothing was written");
        }
    }
    assert!((400..3600).contains(&won_some), "both answers were met: {won_some}");
}

/// The guard is in the statement: a read that was answered before the clocks parted does not help.
#[tokio::test]
async fn a_process_that_was_paused_after_its_read_claims_nothing() {
    let mut connection = table().await;
    let clock = crate::testing::VirtualClock::at(Slot::from_unix_millis(NOW));
    let (run, slot) = (RunId::random(), Slot::from_unix_millis(NOW));
    let claim = Claim::new("job", slot, LEASE_MARGIN, &run, &clock);
    // Half an hour passes between the read and the write.
    let pool = sqlx::SqlitePool::connect_lazy("sqlite::memory:").expect("options");
    let mut leases = DatabaseLeases::<Sqlite>::new(&pool).database_clock("1767322800000");
    leases.claims = statements("1767322800000 + 1800000").0;
    let claimed = super::claim(&mut connection, &leases, &claim).await.expect("answered");
    assert!(!claimed.is_won());
    let rows: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM jobs_leases").fetch_one(&mut connection).await.expect("counted");
    assert_eq!(rows, 0);
}
