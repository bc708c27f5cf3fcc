//! 50 jobs that take their slot and a pool, in a list, four times.

use std::fmt::Write as _;

use crate::{crates::Variant, functions::ERROR};

const COUNT: usize = 50;

const REGISTRY: &str = r"
#[derive(steadfast::Provide)]
pub struct App {
    pub db: SqlitePool,
}
";

/// What a list of jobs is without us: enough for a loop that starts each of them when it is due.
const LIST: &str = r"
pub struct Job {
    pub name: &'static str,
    pub cron: &'static str,
    pub timeout: Duration,
    pub run: fn(Slot, &SqlitePool) -> Boxed<'_, Result<(), BillingError>>,
}
";

pub(crate) fn source(variant: Variant, number: usize) -> String {
    let ours = matches!(variant, Variant::Ours(_));
    let mut source = String::from(
        "#![allow(dead_code, unused_imports)]\n\nuse std::{future::Future, pin::Pin, time::Duration};\n\n",
    );
    source.push_str("use sqlx::SqlitePool;\nuse steadfast::{Slot, job};\n");
    source.push_str(ERROR);
    source.push_str(if ours { REGISTRY } else { LIST });
    for at in 0..COUNT {
        let number = if at == COUNT / 2 { number } else { 0 };
        let attribute = match variant {
            Variant::Ours(_) => format!("#[job(cron = \"{} {} * * *\", timeout = \"5m\")]\n", at % 60, at % 24),
            Variant::Instrument(_) => "#[tracing::instrument(skip(db))]\n".to_owned(),
            Variant::Nothing(_) => "#[nothing::nothing]\n".to_owned(),
            Variant::Loop(_) | Variant::Plain(_) => String::new(),
        };
        let _ = write!(
            source,
            r#"
{attribute}pub async fn digest_{at}(slot: Slot, db: &SqlitePool) -> Result<(), BillingError> {{
    let due: Vec<i64> = sqlx::query_scalar("select id from trials_{at} where ends_at <= $1 and id > {number}")
        .bind(slot.unix_seconds())
        .fetch_all(db)
        .await?;
    for trial in due {{
        sqlx::query("update trials_{at} set closed_at = $1 where id = $2").bind(slot.unix_seconds()).bind(trial).execute(db).await?;
    }}
    Ok(())
}}
"#
        );
    }
    if ours {
        let names: Vec<String> = (0..COUNT).map(|at| format!("digest_{at}")).collect();
        let _ =
            write!(source, "\nsteadfast::registry! {{\n    pub static JOBS for App = [{}];\n}}\n", names.join(", "));
    } else {
        source.push_str("\npub static JOBS: &[Job] = &[\n");
        for at in 0..COUNT {
            let _ = writeln!(
                source,
                "    Job {{ name: \"digest_{at}\", cron: \"{} {} * * *\", timeout: Duration::from_secs(300), run: |slot, db| Box::pin(digest_{at}(slot, db)) }},",
                at % 60,
                at % 24
            );
        }
        source.push_str("];\n");
    }
    source
}
