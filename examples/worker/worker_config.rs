//! Prints the triggers of the Worker for its wrangler file, or says where that file differs:
//!
//! ```sh
//! cargo run --example worker_config
//! cargo run --example worker_config -- --check wrangler.toml
//! ```
//!
//! A file that is not there is looked for beside this one.

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use steadfast::worker::Triggers;
use steadfast_example_worker::JOBS;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(said) => {
            print!("{said}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<String, Box<dyn std::error::Error>> {
    let triggers = Triggers::of(&JOBS)?;
    for warning in triggers.warnings() {
        eprintln!("warning: {warning}");
    }
    match arguments {
        [] => Ok(triggers.to_toml()),
        ["--check", file] => {
            let file = found(Path::new(file));
            triggers.check(&file)?;
            Ok(format!("{} names the {} cron lines of the registry\n", file.display(), triggers.crons().len()))
        }
        _ => Err("the arguments are none, or `--check FILE`, for example `--check wrangler.toml`".into()),
    }
}

/// From the folder of the caller, or of this example.
fn found(file: &Path) -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if !file.exists() && beside.exists() { beside } else { file.to_owned() }
}
