//! What an attacker, a curious reader of logs or a careless colleague might try. What `ui/` refuses and what `leases/` does
//! with rows that somebody edited by hand stands there.

use std::{
    fmt::Debug,
    fs,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use sea_orm::{ConnectionTrait as _, DbBackend, Statement};
use sqlx::{PgPool, SqlitePool, postgres::PgConnectOptions, postgres::PgPoolOptions};
use steadfast::{
    LeaseStore as _, PostgresLeases, Provide, RunOutcome, Slot, SqliteLeases, atomic_unit,
    clock::SystemClock,
    job,
    jobs::{Claim, LEASE_MARGIN, NotClaimed, RunId},
    registry,
    sqlite::Tx,
    testing,
};
use steadfast_tests::sqlite::Database;

use crate::{
    cron::parser,
    engines::Error,
    repository::{root, sources},
    telemetry::{CANARY, told},
    units::members,
};

// ------------------------------------------------------------------------------------------------------------ input

/// A paste gone wrong, or somebody who wants the compiler busy. Durations: `macros/src/tests/duration.rs`.
#[test]
fn a_literal_of_a_mebibyte_is_refused_at_once() {
    const MEBIBYTE: usize = 1 << 20;
    for piece in ["0,", "*/", "0-59/1,", "9", " ", "* ", "MON-", "@every ", "\u{feff}", "L"] {
        let text = piece.repeat(MEBIBYTE / piece.len());
        for text in [&text, &format!("{text} 3 * * *"), &format!("0 3 * * {text}")] {
            let errors = parser::Cron::parse(text).unwrap_err();
            assert!(errors.len() == 1 && errors[0].message.len() < 200, "{errors:?}");
        }
    }
}

/// The names that `registry!` refuses never get here; a store of one's own callers might.
#[tokio::test]
async fn names_are_values_and_never_statements() {
    let database = Database::create().await;
    let leases = SqliteLeases::new(database.pool());
    leases.install().await.unwrap();
    let schema = "SELECT group_concat(sql, ';') FROM sqlite_schema";
    let before: String = sqlx::query_scalar(schema).fetch_one(database.pool()).await.unwrap();
    let hostile = [
        "'; DROP TABLE jobs_leases; --",
        "\"; CREATE TABLE mine (id INTEGER); --",
        "job' OR '1'='1",
        "$1",
        "?1",
        "main.jobs_leases",
        "`job`",
        "[job]",
        "job\0; DROP TABLE jobs_leases",
        "%",
        "\u{202e}boj",
        "",
    ];
    let slot = Slot::floor(SystemTime::now());
    for name in hostile {
        let run = RunId::random();
        let claimed = leases.claim(&Claim::new(name, slot, LEASE_MARGIN, &run, &SystemClock)).await.unwrap();
        assert!(claimed.is_won(), "{name:?} is a job of its own");
        leases.release(name, run.as_str()).await.unwrap();
    }
    // A holder is a value, too.
    leases.release("job", "' OR name = name --").await.unwrap();
    let after: String = sqlx::query_scalar(schema).fetch_one(database.pool()).await.unwrap();
    assert_eq!(after, before, "no table was made, dropped or changed");
    let rows: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM jobs_leases").fetch_one(database.pool()).await.unwrap();
    assert_eq!(usize::try_from(rows).unwrap(), hostile.len());
}

// ---------------------------------------------------------------------------------------------------------- secrets

#[derive(Provide)]
struct App {
    db: PgPool,
}

/// What a job's error may be: sqlx's own, and one with a text around it.
#[derive(Debug, thiserror::Error)]
enum ImportError {
    #[error(transparent)]
    Db(#[from] sqlx::Error),
    #[error("cannot import the list: {0}")]
    Wrapped(#[source] sqlx::Error),
}

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "quotes")]
async fn quotes(_: Slot, db: &PgPool) -> Result<(), ImportError> {
    sqlx::query("SELECT $1::text::bigint").bind(CANARY).execute(db).await?;
    Ok(())
}

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "quotes-wrapped")]
async fn quotes_wrapped(_: Slot, db: &PgPool) -> Result<(), ImportError> {
    sqlx::query("SELECT $1::text::date").bind(CANARY).execute(db).await.map_err(ImportError::Wrapped)?;
    Ok(())
}

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "doubles")]
async fn doubles(_: Slot, db: &PgPool) -> Result<(), ImportError> {
    sqlx::query("INSERT INTO notes VALUES ($1)").bind(CANARY).execute(db).await?;
    Ok(())
}

/// sea-orm keeps the driver's error out of the chain of sources.
#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "quotes-orm")]
#[atomic_unit(retry = contention)]
async fn quotes_orm(_: Slot, tx: &mut steadfast::postgres::Tx<'_>) -> Result<(), members::Error> {
    let sql = Statement::from_sql_and_values(DbBackend::Postgres, "SELECT $1::text::bigint", [CANARY.into()]);
    tx.orm().query_one_raw(sql).await?;
    Ok(())
}

registry! { static JOBS for App = [quotes, quotes_wrapped, doubles, quotes_orm]; }

/// The text of a job's error is logged, and PostgreSQL quotes values in it: as DETAIL, and in messages of class 22.
#[test]
#[ignore = "needs PostgreSQL: tests/run"]
fn no_value_of_a_row_is_told_by_a_job_that_fails() {
    use steadfast_tests::postgres::Database;

    let (counters, log) = told(async {
        let database = Database::create().await;
        sqlx::query("CREATE TABLE notes (text TEXT PRIMARY KEY)").execute(database.pool()).await.unwrap();
        sqlx::query("INSERT INTO notes VALUES ($1)").bind(CANARY).execute(database.pool()).await.unwrap();
        let leases = PostgresLeases::new(database.pool());
        leases.install().await.unwrap();
        let jobs = JOBS.with(App { db: database.pool().clone() }).leases(leases);
        for name in ["quotes", "quotes-wrapped", "doubles", "quotes-orm"] {
            let outcome = testing::run(&jobs, name, Slot::floor(SystemTime::now())).await.unwrap();
            assert!(matches!(outcome, RunOutcome::Failed(_)), "{outcome:?}");
            assert!(!format!("{outcome:?}").contains(CANARY), "{outcome:?}");
        }
    });
    let failed: Vec<_> = log.text().lines().filter(|line| line.contains("the job failed")).map(str::to_owned).collect();
    let [quotes, wrapped, doubles, orm] = &failed[..] else { panic!("{failed:#?}") };
    let withheld = "error returned from database: <message withheld: it quotes a value>";
    assert!(quotes.contains("code=\"22P02\"") && quotes.contains(withheld), "{quotes}");
    assert!(orm.contains("code=\"22P02\"") && orm.contains(&format!("Query Error: {withheld}")), "{orm}");
    assert!(wrapped.contains("code=\"22007\"") && wrapped.contains("cannot import the list: error"), "{wrapped}");
    // What quotes nothing is told.
    assert!(doubles.contains("code=\"23505\"") && doubles.contains("notes_pkey"), "{doubles}");
    assert!(!log.text().contains(CANARY), "{}", log.text());
    assert!(counters.keys().all(|name| !name.contains(CANARY)));
}

#[derive(Provide)]
struct MySqlApp {
    db: sqlx::MySqlPool,
}

#[job(cron = "* * * * *", timeout = "30s", name = "doubles-mysql")]
async fn doubles_mysql(_: Slot, db: &sqlx::MySqlPool) -> Result<(), ImportError> {
    sqlx::query("insert into notes values (?)").bind(CANARY).execute(db).await?;
    Ok(())
}

#[job(cron = "* * * * *", timeout = "30s", name = "doubles-mysql-orm")]
#[atomic_unit(retry = contention)]
async fn doubles_mysql_orm(_: Slot, tx: &mut steadfast::mysql::Tx<'_>) -> Result<(), members::Error> {
    let sql = Statement::from_sql_and_values(DbBackend::MySql, "insert into notes values (?)", [CANARY.into()]);
    tx.orm().execute_raw(sql).await?;
    Ok(())
}

registry! { static MYSQL_JOBS for MySqlApp = [doubles_mysql, doubles_mysql_orm]; }

/// MySQL quotes values in messages of any class: the number says enough.
#[test]
#[ignore = "needs MariaDB: tests/run"]
fn no_message_of_mysql_is_told() {
    use steadfast_tests::mysql::Database;

    let (_, log) = told(async {
        let database = Database::create().await;
        sqlx::query("create table notes (text varchar(99) primary key)").execute(database.pool()).await.unwrap();
        sqlx::query("insert into notes values (?)").bind(CANARY).execute(database.pool()).await.unwrap();
        let jobs = MYSQL_JOBS.with(MySqlApp { db: database.pool().clone() });
        for name in ["doubles-mysql", "doubles-mysql-orm"] {
            let outcome = testing::run(&jobs, name, Slot::floor(SystemTime::now())).await.unwrap();
            assert!(matches!(outcome, RunOutcome::Failed(_)), "{outcome:?}");
        }
    });
    let text = log.text();
    let failed: Vec<_> = text.lines().filter(|line| line.contains("the job failed")).collect();
    assert_eq!(failed.len(), 2, "{failed:#?}");
    for failed in failed {
        assert!(failed.contains("code=\"1062\"") && failed.contains("<message withheld"), "{failed}");
    }
    assert!(!text.contains(CANARY), "{text}");
}

/// A server that is not there, with all that a connection may keep secret.
fn nowhere() -> PgPool {
    let options = PgConnectOptions::new().host("127.0.0.1").port(1).username(CANARY).password(CANARY);
    let options = options.application_name(CANARY).options([("search_path", CANARY)]);
    PgPoolOptions::new().acquire_timeout(Duration::from_millis(50)).connect_lazy_with(options)
}

#[test]
fn no_password_is_told_when_the_store_is_down() {
    let (_, log) = told(async {
        let pool = nowhere();
        let jobs = JOBS.with(App { db: pool.clone() }).leases(PostgresLeases::new(&pool));
        let outcome = testing::run(&jobs, "quotes", Slot::floor(SystemTime::now())).await.unwrap();
        assert!(matches!(outcome, RunOutcome::NotClaimed(NotClaimed::StoreFailed)), "{outcome:?}");
        let error = jobs.run_until(std::future::pending()).await.unwrap_err();
        assert!(!format!("{error}{error:?}").contains(CANARY), "{error:?}");
        let error = PostgresLeases::new(&pool).install().await.unwrap_err();
        assert!(!format!("{error}{error:?}").contains(CANARY), "{error:?}");
    });
    assert!(log.text().contains("could not be claimed"), "{}", log.text());
    assert!(!log.text().contains(CANARY), "{}", log.text());
}

#[atomic_unit(retry = contention)]
async fn printed(tx: &mut Tx<'_>) -> Result<String, Error> {
    Ok(format!("{tx:?} {tx:#?}"))
}

/// sqlx prints a password in the `Debug` of a pool's options, so no type of ours derives `Debug` around a pool.
#[tokio::test]
async fn debug_prints_no_password() {
    let database = Database::create().await;
    // SQLCipher takes its key as a pragma; plain SQLite ignores it.
    let options =
        steadfast_tests::sqlite::options(database.path(), Duration::from_secs(1)).pragma("key", format!("'{CANARY}'"));
    let sqlite = SqlitePool::connect_with(options).await.unwrap();
    let postgres = nowhere();
    let print = |it: &dyn Debug| format!("{it:?} {it:#?}");
    for (pool, what) in
        [(print(&sqlite.connect_options()), "SQLite"), (print(&postgres.connect_options()), "PostgreSQL")]
    {
        assert!(pool.contains(CANARY), "without the danger this test shows nothing: {what}");
    }
    let jobs = JOBS.with(App { db: postgres.clone() }).leases(PostgresLeases::new(&postgres));
    for text in [
        print(&SqliteLeases::new(&sqlite)),
        print(&PostgresLeases::new(&postgres)),
        print(&JOBS),
        print(&jobs),
        print(&jobs.run_until(std::future::pending())),
        printed(&sqlite).await.unwrap(),
    ] {
        assert!(!text.is_empty() && !text.contains(CANARY), "{text}");
    }
}

// ------------------------------------------------------------------------------------------------------- privileges

#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn select_insert_and_update_are_enough_to_run_jobs() {
    use sqlx::AssertSqlSafe;
    use steadfast::jobs::LeaseErrorKind;
    use steadfast_tests::postgres::Database;

    let database = Database::create().await;
    let role = format!("{}_app", database.schema());
    let sql = |text: &str| AssertSqlSafe(text.replace("$ROLE", &role).replace("$SCHEMA", database.schema()));
    let owner = database.pool();
    sqlx::raw_sql(sql("CREATE ROLE $ROLE LOGIN; GRANT USAGE ON SCHEMA $SCHEMA TO $ROLE")).execute(owner).await.unwrap();
    let pool = PgPoolOptions::new().max_connections(1).connect_with(database.options().username(&role)).await.unwrap();
    let leases = PostgresLeases::new(&pool);

    let error = leases.install().await.unwrap_err();
    assert_eq!((error.kind(), error.database_code()), (LeaseErrorKind::Refused, Some("42501")));
    assert!(error.to_string().contains("to install it: CREATE"), "{error}");
    let error = leases.check().await.unwrap_err();
    assert_eq!(error.kind(), LeaseErrorKind::MissingTable, "{error}");

    PostgresLeases::new(owner).install().await.unwrap();
    sqlx::raw_sql(sql("GRANT SELECT, INSERT ON jobs_leases TO $ROLE")).execute(owner).await.unwrap();
    let slot = Slot::floor(SystemTime::now());
    let run = RunId::random();
    let claim = Claim::new("job", slot, LEASE_MARGIN, &run, &SystemClock);
    let error = leases.claim(&claim).await.unwrap_err();
    assert_eq!((error.kind(), error.database_code()), (LeaseErrorKind::Refused, Some("42501")));
    assert!(error.to_string().contains("SELECT, INSERT and UPDATE"), "{error}");

    sqlx::raw_sql(sql("GRANT UPDATE ON jobs_leases TO $ROLE")).execute(owner).await.unwrap();
    leases.install().await.unwrap();
    leases.check().await.unwrap();
    assert!(leases.claim(&claim).await.unwrap().is_won());
    leases.release("job", run.as_str()).await.unwrap();
    let until: Option<i64> = sqlx::query_scalar("SELECT lease_until FROM jobs_leases").fetch_one(&pool).await.unwrap();
    assert_eq!(until, None);

    pool.close().await;
    sqlx::raw_sql(sql("DROP OWNED BY $ROLE; DROP ROLE $ROLE")).execute(owner).await.unwrap();
}

// ----------------------------------------------------------------------------------------------------------- sources

/// The files of a folder with their code: comments and the tests of their own are left out.
fn code(folder: &str) -> Vec<(PathBuf, String)> {
    let all = sources(folder).into_iter();
    let found = all.filter(|(path, _)| {
        !path.components().any(|part| part.as_os_str() == "tests") && !path.to_string_lossy().ends_with("_tests.rs")
    });
    let found: Vec<_> = found
        .map(|(path, text)| {
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code: Vec<_> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            (path, code.join("\n"))
        })
        .collect();
    assert!(found.len() > 10, "{folder} is not where it was");
    found
}

/// sqlx takes a text that is no literal only where somebody has vouched for it, and one place is easy to watch.
#[test]
fn one_place_makes_a_statement_of_a_text() {
    let calls: Vec<_> = code("runtime/src").into_iter().filter(|(_, code)| code.contains("AssertSqlSafe(")).collect();
    let [(path, code)] = &calls[..] else { panic!("{:?}", calls.iter().map(|(path, _)| path).collect::<Vec<_>>()) };
    assert!(path.ends_with("src/sql.rs"), "{}", path.display());
    assert_eq!(code.matches("AssertSqlSafe(").count(), 1);
}

/// A macro runs in the compiler of its user: it reads its input, and nothing of the machine.
#[test]
fn the_macros_see_nothing_of_the_machine() {
    for (path, code) in code("macros/src") {
        for what in [
            "std::env",
            "std::fs",
            "std::net",
            "std::process",
            "std::thread",
            "std::io",
            "SystemTime::",
            "Instant::",
            "env!(",
            "include_str!(",
            "include_bytes!(",
            "include!(",
            "tracked_path",
        ] {
            assert!(!code.contains(what), "`{what}` in {}", path.display());
        }
    }
}

#[test]
fn there_is_no_unsafe_code_and_no_build_script() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(workspace.contains("unsafe_code = \"forbid\""));
    for package in ["macros", "runtime", "tests", "examples"] {
        let manifest = fs::read_to_string(root().join(package).join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[lints]\nworkspace = true"), "{package} has lints of its own");
        assert!(
            !manifest.lines().any(|line| line.starts_with("build =") || line.starts_with("[build-dep")),
            "{package}"
        );
        assert!(!root().join(package).join("build.rs").exists(), "{package}");
    }
    for (path, code) in code("runtime/src").into_iter().chain(code("macros/src")) {
        for what in ["unsafe {", "unsafe fn", "unsafe impl", "allow(unsafe_code"] {
            assert!(!code.contains(what), "`{what}` in {}", path.display());
        }
    }
}
