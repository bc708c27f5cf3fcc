//! What is refused and what passes, in the standard's reading.

use super::*;

/// SQLite's, without what it alone refuses.
const MANY: Dialect = Dialect { many: true, compound: false, lexis: Lexis::Standard, refuses: |_, _| None };
const ONE: Dialect = Dialect { many: false, ..MANY };

#[test]
fn control_is_found_wherever_a_statement_begins() {
    for sql in [
        "commit",
        "  COMMIT;",
        "\u{feff}COMMIT",
        "\x0b\t\nRollback",
        "-- a comment\ncommit",
        "-- a comment\rcommit",
        "/* one */ /* two */ COMMIT",
        ";;commit",
        "BEGIN IMMEDIATE",
        "start transaction",
        "END",
        "abort",
        "savepoint a",
        "release a",
        "prepare /* x */ transaction 'a'",
    ] {
        for dialect in [MANY, ONE] {
            assert!(matches!(examine(sql, &dialect), Err(Refusal::Control(_))), "{sql:?}");
        }
    }
    for sql in [
        "insert into t values (1); commit",
        "insert into t values ('a;b'); commit",
        "insert into t values ('it''s'); commit",
        "insert into [a;b] values (1) -- ; \n ; commit",
        "insert into \"a;b\" values (1); /* ; */ commit",
        "create trigger r after insert on t begin update t set a = 1; end; commit",
        "select $1('); commit; begin",
        "select @a::b('); commit",
    ] {
        assert!(matches!(examine(sql, &MANY), Err(Refusal::Control(_))), "{sql:?}");
        assert_eq!(examine(sql, &ONE), Ok(()), "the server takes one statement: {sql:?}");
    }
}

#[test]
fn several_statements_are_refused() {
    for sql in ["update t set a = 1; update t set b = 2", "select ?1; select $2", "select :a; select 'unterminated"] {
        assert_eq!(examine(sql, &MANY), Err(Refusal::Several), "{sql:?}");
    }
}

#[test]
fn one_statement_passes() {
    for sql in [
        "",
        "select 1",
        "select 1;",
        "select 1; -- done\n",
        "insert into commits values ('commit')",
        "insert into t values ('; commit')",
        "begin_ner",
        "prepare p as select 1",
        "create temp trigger r after insert on t begin update t set a = 1; delete from u; end",
        "with x as (select 1) insert into t select * from x",
        "select 'unterminated; commit",
        "select $1, :name, @x::y, a->'$.b;c' from t",
        "update t set a = ';'; -- end",
        "pragma table_info(t)",
    ] {
        assert_eq!(examine(sql, &MANY), Ok(()), "{sql:?}");
    }
}
