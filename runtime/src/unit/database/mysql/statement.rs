//! Statements that commit on their own: the server would end the unit's transaction before it runs them.

use super::super::control::{CONTROL, Reader, Refusal, one_of};

/// Whatever follows them.
const COMMITTING: [&str; 21] = [
    "ALTER",
    "BACKUP",
    "CACHE",
    "CHANGE",
    "CHECK",
    "CREATE",
    "DROP",
    "FLUSH",
    "GRANT",
    "IMPORT",
    "INSTALL",
    "LOCK",
    "OPTIMIZE",
    "RENAME",
    "REPAIR",
    "RESET",
    "REVOKE",
    "STOP",
    "TRUNCATE",
    "UNINSTALL",
    "UNLOCK",
];

/// A statement, from its first word on.
pub(super) fn refused(reader: Reader, sql: &str) -> Option<Refusal> {
    let (word, rest) = reader.word(sql);
    let upper = word.to_ascii_uppercase();
    let (second, behind) = reader.word(rest);
    match upper.as_str() {
        "CREATE" | "DROP" if is_temporary_table(reader, rest) => None,
        "XA" => Some(Refusal::Control("XA")),
        // Its text can be any statement. `PREPARE` itself runs nothing.
        "EXECUTE" => Some(Refusal::Hidden("EXECUTE")),
        "ANALYZE" => {
            one_of(&["TABLE", "LOCAL", "NO_WRITE_TO_BINLOG"], second).map(|_| Refusal::Implicit("ANALYZE TABLE"))
        }
        "LOAD" => one_of(&["INDEX"], second).map(|_| Refusal::Implicit("LOAD INDEX")),
        "SET" => set(reader, second, behind, rest),
        _ => one_of(&COMMITTING, word).map(Refusal::Implicit),
    }
}

fn is_temporary_table(reader: Reader, mut rest: &str) -> bool {
    for expected in ["OR", "REPLACE"] {
        let (word, next) = reader.word(rest);
        if word.eq_ignore_ascii_case(expected) {
            rest = next;
        }
    }
    let (temporary, rest) = reader.word(rest);
    temporary.eq_ignore_ascii_case("TEMPORARY") && one_of(&["TABLE", "TABLES"], reader.word(rest).0).is_some()
}

fn set(reader: Reader, second: &str, behind: &str, rest: &str) -> Option<Refusal> {
    let assignments = rest.to_ascii_uppercase();
    if assignments.contains("AUTOCOMMIT") {
        return Some(Refusal::Implicit("SET autocommit"));
    }
    if second.eq_ignore_ascii_case("STATEMENT") {
        // `SET STATEMENT name = value FOR statement`, MariaDB's.
        return after_for(reader, behind).and_then(|sql| {
            let control = one_of(&CONTROL, reader.word(sql).0).map(Refusal::Control);
            control.or_else(|| refused(reader, sql))
        });
    }
    one_of(&["PASSWORD", "DEFAULT"], second).map(|word| match word {
        "PASSWORD" => Refusal::Implicit("SET PASSWORD"),
        _ => Refusal::Implicit("SET DEFAULT ROLE"),
    })
}

fn after_for(reader: Reader, mut rest: &str) -> Option<&str> {
    while !rest.is_empty() {
        let (word, next) = reader.word(rest);
        if word.eq_ignore_ascii_case("FOR") {
            return Some(next);
        }
        // A sign or a quote is no word: one character further.
        rest = if word.is_empty() { reader.skip_blank(after_first(rest)) } else { next };
    }
    None
}

fn after_first(text: &str) -> &str {
    let mut characters = text.chars();
    characters.next();
    characters.as_str()
}

#[cfg(test)]
mod tests {
    use crate::unit::database::{
        control::{Refusal, examine},
        engine::Engine as _,
    };

    fn look(sql: &str) -> Result<(), Refusal> {
        examine(sql, &sqlx::MySql::DIALECT)
    }

    #[test]
    fn what_commits_implicitly_is_refused() {
        for sql in [
            "create table t (a int)",
            "CREATE OR REPLACE VIEW v as select 1",
            "drop table t",
            "alter table t add b int",
            "truncate t",
            "rename table t to u",
            "grant all on *.* to x",
            "lock tables t write",
            "unlock tables",
            "analyze table t",
            "analyze local table t",
            "optimize table t",
            "load index into cache t",
            "set autocommit = 1",
            "set @@session.autocommit=0",
            "set sql_mode = '', autocommit = 1",
            "set password = 'x'",
            "set default role x",
            "set statement max_statement_time=1 for create table t (a int)",
            "create /*!99999 temporary */ table t (a int)",
        ] {
            assert!(matches!(look(sql), Err(Refusal::Implicit(_))), "{sql}");
        }
        let said = look("create table t (a int)").unwrap_err().to_string();
        assert!(said.starts_with("`CREATE` commits implicitly"), "{said}");
    }

    #[test]
    fn control_hides_in_none_of_mysqls_ways_to_write() {
        for sql in [
            "# it's\ncommit",
            "xa start 'a'",
            "begin not atomic commit; end",
            "if 1 then commit; end if",
            "set statement max_statement_time=1 for commit",
        ] {
            assert!(matches!(look(sql), Err(Refusal::Control(_))), "{sql}");
        }
        for sql in [
            "select 1--1; commit",
            "select 1 # it's\n; commit",
            "select '\\''; commit",
            "select '\\'; commit -- '",
            "select `a\\`; commit",
        ] {
            assert_eq!(look(sql), Err(Refusal::Control("COMMIT")), "{sql}");
        }
        for sql in [
            "/*! commit */",
            "/*!50000 commit */",
            "/*M!100100 commit */",
            " /* one */ /*! commit */",
            "/* /*! */ commit",
            "select 1 /*!99999 ' */; commit -- '",
            "/*!99999 select 1 */ commit",
            "execute immediate 'commit'",
        ] {
            assert!(matches!(look(sql), Err(Refusal::Hidden(_))), "{sql}");
        }
    }

    #[test]
    fn the_rest_passes() {
        for sql in [
            "create temporary table t (a int)",
            "create or replace temporary table t (a int)",
            "drop temporary table if exists t",
            "select /*! straight_join */ 1",
            "select /*+ max_execution_time(1) */ 1",
            "insert into t values ('create table')",
            "set @a = 1",
            "set statement max_statement_time=1 for select 1",
            "analyze select 1",
            "load data infile 'x' into table t",
            "replace into t values (1)",
            "check_",
            "select 1--1",
        ] {
            assert_eq!(look(sql), Ok(()), "{sql}");
        }
    }
}
