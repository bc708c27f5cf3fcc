//! The command line.

use std::{path::PathBuf, str::FromStr};

use anyhow::{Context, bail, ensure};

/// What this process is.
pub(super) enum Options {
    Supervise(Supervise),
    Replica(Replica),
}

/// What the user may say.
pub(super) struct Supervise {
    /// How many seconds of the application's clock pass in one.
    pub(super) speed: u32,
    /// One JSON object instead of the timeline.
    pub(super) json: bool,
}

/// What the supervisor says to the replicas that it starts.
pub(super) struct Replica {
    pub(super) number: i64,
    pub(super) database: PathBuf,
    pub(super) clock: super::clock::SpedUp,
}

const USAGE: &str = "usage: quickstart [--json] [--speed 60]";

impl Options {
    pub(super) fn from_arguments() -> anyhow::Result<Self> {
        let mut arguments = std::env::args().skip(1);
        let mut supervise = Supervise { speed: 60, json: false };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--json" => supervise.json = true,
                "--speed" => supervise.speed = next(&mut arguments, "--speed")?,
                "--replica" => {
                    let number = next(&mut arguments, "--replica")?;
                    let database = next(&mut arguments, "the database")?;
                    let clock = super::clock::SpedUp {
                        origin_ms: next(&mut arguments, "the origin of the clock")?,
                        speed: next(&mut arguments, "the speed of the clock")?,
                    };
                    return Ok(Self::Replica(Replica { number, database, clock }));
                }
                "--help" | "-h" => {
                    println!("{USAGE}");
                    std::process::exit(0);
                }
                other => bail!("unknown argument `{other}`; {USAGE}"),
            }
        }
        ensure!((1..=120).contains(&supervise.speed), "`--speed` takes 1 to 120, for example `--speed 60`");
        Ok(Self::Supervise(supervise))
    }
}

fn next<T: FromStr>(arguments: &mut impl Iterator<Item = String>, what: &str) -> anyhow::Result<T> {
    let value = arguments.next().with_context(|| format!("{what} needs a value; {USAGE}"))?;
    value.parse().ok().with_context(|| format!("`{value}` is no value for {what}; {USAGE}"))
}
