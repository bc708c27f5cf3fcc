//! 200 functions of two statements in a transaction, five times.

use std::fmt::Write as _;

use crate::crates::Variant;

const COUNT: usize = 200;

/// The error of a module, as an application has one.
pub(crate) const ERROR: &str = r#"
#[derive(Debug, thiserror::Error, steadfast::Classify)]
pub enum BillingError {
    #[error("trial {0} is unknown")]
    Unknown(i64),
    #[error("trial {0} is closed already")]
    Closed(i64),
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] steadfast::UnitFailure),
}

pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
"#;

const RETRY: &str = r#"
pub mod retry {
    steadfast::policies! {
        pub policy contention = capped(base = "20ms", cap = "500ms", retries = 5).on(contention);
    }
}
"#;

/// What somebody writes who retries by hand.
const BUSY: &str = r#"
fn is_busy(error: &BillingError) -> bool {
    let BillingError::Db(sqlx::Error::Database(error)) = error else { return false };
    error.code().is_some_and(|code| code == "5" || code == "517")
}
"#;

pub(crate) fn source(variant: Variant, number: usize) -> String {
    let mut source = String::from(
        "#![allow(dead_code, unused_imports)]\n\nuse std::{future::Future, pin::Pin, time::Duration};\n\n",
    );
    source.push_str("use sqlx::SqlitePool;\nuse steadfast::{atomic_unit, sqlite::Tx};\n");
    source.push_str(ERROR);
    match variant {
        Variant::Ours(_) => source.push_str(RETRY),
        Variant::Loop(_) => source.push_str(BUSY),
        _ => {}
    }
    for at in 0..COUNT {
        function(&mut source, variant, at, if at == COUNT / 2 { number } else { 0 });
    }
    source.push_str("\npub fn all<'a>(pool: &'a SqlitePool, trial: i64, by: &'a str) -> Vec<Boxed<'a, Result<i64, BillingError>>> {\n    vec![\n");
    for at in 0..COUNT {
        let _ = writeln!(source, "        Box::pin(close_{at}(pool, trial, by)),");
    }
    source + "    ]\n}\n"
}

fn function(source: &mut String, variant: Variant, at: usize, number: usize) {
    let attribute = match variant {
        Variant::Ours(_) => "#[atomic_unit(retry = contention)]\n",
        Variant::Instrument(_) => "#[tracing::instrument(skip(pool))]\n",
        Variant::Nothing(_) => "#[nothing::nothing]\n",
        Variant::Loop(_) | Variant::Plain(_) => "",
    };
    let first = if matches!(variant, Variant::Ours(_)) { "tx: &mut Tx<'_>" } else { "pool: &SqlitePool" };
    let statements = format!(
        r#"let ends_at: Option<i64> = sqlx::query_scalar("select ends_at from trials_{at} where id = $1 and closed_at is null")
        .bind(trial)
        .fetch_optional(&mut *tx)
        .await?;
    let ends_at = ends_at.ok_or(BillingError::Unknown(trial))?;
    if ends_at < {number} {{
        return Err(BillingError::Closed(trial));
    }}
    sqlx::query("update trials_{at} set closed_at = $1, closed_by = $2 where id = $3")
        .bind(ends_at)
        .bind(by)
        .bind(trial)
        .execute(&mut *tx)
        .await?;
"#
    );
    let body = match variant {
        Variant::Ours(_) => format!("    {statements}    Ok(ends_at)\n"),
        Variant::Loop(_) => format!(
            r"    let mut attempt = 0;
    loop {{
        let result = async {{
            let mut tx = pool.begin().await?;
            {statements}
            tx.commit().await?;
            Ok::<_, BillingError>(ends_at)
        }};
        match result.await {{
            Err(error) if attempt < 5 && is_busy(&error) => attempt += 1,
            result => break result,
        }}
        tokio::time::sleep(Duration::from_millis(20 << attempt)).await;
    }}
"
        ),
        _ => {
            format!("    let mut tx = pool.begin().await?;\n    {statements}    tx.commit().await?;\n    Ok(ends_at)\n")
        }
    };
    let _ = write!(
        source,
        "\n{attribute}pub async fn close_{at}({first}, trial: i64, by: &str) -> Result<i64, BillingError> {{\n{body}}}\n"
    );
}
