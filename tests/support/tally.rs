//! A record of which test opened which engine, so that `tests/run` reports what happened and not what names suggest.

use std::{env, fs::OpenOptions, io::Write, thread};

/// Adds a line `engine<TAB>binary<TAB>test` to the file that `STEADFAST_TALLY` names; without it, does nothing.
pub(crate) fn note(engine: &str) {
    let (binary, test) = this_test();
    append("STEADFAST_TALLY", &format!("{engine}\t{binary}\t{test}\n"));
}

/// Adds a line `engine<TAB>fault<TAB>count` to the file that `STEADFAST_FAULTS` names: how many units met that fault.
pub fn fault(engine: &str, fault: &str, count: u32) {
    append("STEADFAST_FAULTS", &format!("{engine}\t{fault}\t{count}\n"));
}

/// Adds a line `engine<TAB>fault<TAB>units<TAB>runs<TAB>rows` to the file that `STEADFAST_SURVIVED` names: how many units met a
/// fault that has a test of its own, how often their bodies ran, and how many rows they left.
pub fn survived(engine: &str, fault: &str, units: usize, runs: u32, rows: usize) {
    append("STEADFAST_SURVIVED", &format!("{engine}\t{fault}\t{units}\t{runs}\t{rows}\n"));
}

/// Adds a line `kind<TAB>what<TAB>times<TAB>found` to the file that `STEADFAST_CHAOS` names: a fault, a slot that never ran, a control,
/// or what was found.
pub fn chaos(kind: &str, what: &str, times: &str, found: &str) {
    append("STEADFAST_CHAOS", &format!("{kind}\t{what}\t{times}\t{found}\n"));
}

fn append(variable: &str, line: &str) {
    let Some(file) = env::var_os(variable) else {
        return;
    };
    // One write of one short line to a file opened for appending: lines of parallel tests do not mix.
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(&file)
        .and_then(|mut tally| tally.write_all(line.as_bytes()))
        .unwrap_or_else(|error| panic!("cannot write the tally {}: {error}", file.display()));
}

/// nextest tells a test its name, also to the processes that the test starts; `cargo test` names the thread.
fn this_test() -> (String, String) {
    if let (Ok(binary), Ok(test)) = (env::var("NEXTEST_BINARY_ID"), env::var("NEXTEST_TEST_NAME")) {
        return (binary, test);
    }
    let binary = env::current_exe()
        .ok()
        .and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .unwrap_or_default();
    (binary, thread::current().name().unwrap_or_default().to_owned())
}
