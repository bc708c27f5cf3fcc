//! `pub` jobs that no registry lists.

use super::{Package, says};

const JOBS: &str = "\
#[job(cron = \"0 3 * * *\", timeout = \"5m\")]
/// Says.
pub async fn close_trials(slot: Slot) -> Result<(), E> { x() }
#[steadfast::poll(every = \"1s\", timeout = \"5m\")]
pub async fn relay() -> Result<Tick, E> { x() }
#[job(cron = \"0 3 * * *\", timeout = \"5m\")]
pub(crate) async fn the_compiler_says_it(slot: Slot) -> Result<(), E> { x() }
#[cfg(test)]
mod tests { #[poll(every = \"1s\", timeout = \"5m\")] pub async fn of_a_test() -> Result<Tick, E> { x() } }
";

/// The attribute says where steadfast is, so it is one of steadfast's.
#[test]
fn a_job_of_steadfast_by_another_name() {
    let text = "#[kit::job(cron = \"0 3 * * *\", timeout = \"5m\", crate = ::kit, allow(sleep))]\n\
                pub async fn close(slot: Slot) -> Result<(), E> { loop { sleep(d).await } }";
    let package = Package::new(&[("src/lib.rs", text)]);
    assert!(package.report().is_clean(), "the macro has judged it: {}", package.report());
    says(&package.lint().every_job_listed().report(), &["`close` stands in no `registry!`"]);
    let other = Package::new(&[("src/lib.rs", &text.replace("crate = ::kit, ", ""))]);
    assert_eq!(other.report().findings.len(), 1, "another crate's attribute judges nothing");
}

#[test]
fn a_public_job_that_no_registry_lists() {
    let package = Package::new(&[
        ("src/jobs.rs", JOBS),
        ("src/main.rs", "steadfast::registry! { pub static JOBS for App = [jobs::relay, #[cfg(x)] other::job]; }"),
    ]);
    assert!(package.report().is_clean(), "only where it is asked for");
    let report = package.lint().every_job_listed().report();
    says(&report, &["src/jobs.rs:3:14: `close_trials` stands in no `registry!`"]);
    assert_eq!(report.findings.len(), 1, "{report}");
    package.write(
        "src/main.rs",
        b"mod a { registry! { static JOBS for App = [jobs::relay, crate::jobs::close_trials]; } }",
    );
    let report = package.lint().every_job_listed().report();
    assert!(report.is_clean(), "{report}");
}
