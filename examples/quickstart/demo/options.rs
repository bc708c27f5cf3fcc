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
    pub(super) replicas: u8,
    /// How many slots are run.
    pub(super) slots: u32,
    /// Faults of all kinds every few slots, rather than one kill.
    pub(super) chaos: bool,
    /// From which the faults are drawn: the same number, the same faults.
    pub(super) seed: u64,
}

/// What the supervisor says to the replicas that it starts.
pub(super) struct Replica {
    pub(super) number: i64,
    pub(super) database: PathBuf,
    pub(super) slots: u32,
    pub(super) clock: super::clock::SpedUp,
}

const USAGE: &str = "usage: quickstart [--json] [--speed 60] [--replicas 2] [--slots 12] [--chaos [--seed 7]]";

impl Options {
    pub(super) fn from_arguments() -> anyhow::Result<Self> {
        let mut arguments = std::env::args().skip(1);
        let seed = rand::random_range(0..1_000_000);
        let mut supervise = Supervise { speed: 60, json: false, replicas: 2, slots: 12, chaos: false, seed };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--json" => supervise.json = true,
                "--speed" => supervise.speed = next(&mut arguments, "--speed")?,
                "--replicas" => supervise.replicas = next(&mut arguments, "--replicas")?,
                "--slots" => supervise.slots = next(&mut arguments, "--slots")?,
                "--chaos" => supervise.chaos = true,
                "--seed" => supervise.seed = next(&mut arguments, "--seed")?,
                "--replica" => {
                    let number = next(&mut arguments, "--replica")?;
                    let database = next(&mut arguments, "the database")?;
                    let slots = next(&mut arguments, "the number of slots")?;
                    let clock = super::clock::SpedUp {
                        origin_ms: next(&mut arguments, "the origin of the clock")?,
                        speed: next(&mut arguments, "the speed of the clock")?,
                    };
                    return Ok(Self::Replica(Replica { number, database, slots, clock }));
                }
                "--help" | "-h" => {
                    println!("{USAGE}");
                    std::process::exit(0);
                }
                other => bail!("unknown argument `{other}`; {USAGE}"),
            }
        }
        ensure!((2..=9).contains(&supervise.replicas), "`--replicas` takes 2 to 9, for example `--replicas 5`");
        ensure!((8..=1000).contains(&supervise.slots), "`--slots` takes 8 to 1000, for example `--slots 200`");
        ensure!(
            cfg!(unix) || !supervise.chaos,
            "`--chaos` stops and resumes processes, which takes Unix; leave it out"
        );
        ensure!((1..=120).contains(&supervise.speed), "`--speed` takes 1 to 120, for example `--speed 60`");
        Ok(Self::Supervise(supervise))
    }
}

fn next<T: FromStr>(arguments: &mut impl Iterator<Item = String>, what: &str) -> anyhow::Result<T> {
    let value = arguments.next().with_context(|| format!("{what} needs a value; {USAGE}"))?;
    value.parse().ok().with_context(|| format!("`{value}` is no value for {what}; {USAGE}"))
}
