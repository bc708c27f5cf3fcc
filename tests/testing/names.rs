//! `assert_names`, as users' tests call it.

use std::{convert::Infallible, env, fs, panic, process::Command};

use steadfast::{Slot, job, registry, testing::assert_names};

#[job(name = "shop.digest", cron = "0 3 * * *", exclusive, timeout = "5m")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn digest(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

#[job(name = "shop.invoices", cron = "0 4 * * *", exclusive, timeout = "5m")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn invoices(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

/// Every replica runs it, so its name is nobody's key.
#[job(name = "shop.sweep", cron = "0 5 * * *", timeout = "5m")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn sweep(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

struct App;
registry! { static JOBS for App = [invoices, sweep, digest]; }

/// What it says of a file with this text.
fn said(text: Option<&str>) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.lock");
    if let Some(text) = text {
        fs::write(&file, text).unwrap();
    }
    let failed = panic::catch_unwind(|| assert_names(&JOBS, &file)).err()?;
    Some(*failed.downcast::<String>().unwrap())
}

#[test]
fn names_that_are_kept_are_silent() {
    assert_eq!(said(Some("shop.digest\nshop.invoices\n")), None);
    assert_eq!(said(Some("\nshop.invoices\r\n  shop.digest")), None);
}

#[test]
fn a_name_that_changed_is_told_with_what_to_do() {
    for (text, gone, new) in [
        ("shop.digest\nshop.bills\n", "gone [\"shop.bills\"]", "new [\"shop.invoices\"]"),
        ("shop.digest\n", "gone []", "new [\"shop.invoices\"]"),
        ("", "gone []", "new [\"shop.digest\", \"shop.invoices\"]"),
    ] {
        let said = said(Some(text)).unwrap();
        for part in [gone, new, "its old `name = \"…\"`", "STEADFAST_NAMES=overwrite"] {
            assert!(said.contains(part), "{said} without {part}");
        }
    }
    assert!(said(None).unwrap().contains("is not there; write it"));
}

/// In a process of its own: the variable is the whole process's.
#[test]
fn the_file_is_written_when_told_to() {
    if let Some(file) = env::var_os("STEADFAST_TEST_FILE") {
        return assert_names(&JOBS, file);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.lock");
    let written = Command::new(env::current_exe().unwrap())
        .args(["--exact", "testing::names::the_file_is_written_when_told_to"])
        .env("STEADFAST_TEST_FILE", &file)
        .env("STEADFAST_NAMES", "overwrite")
        .output()
        .unwrap();
    assert!(written.status.success(), "{written:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "shop.digest\nshop.invoices\n");
    assert_names(&JOBS, &file);
}
