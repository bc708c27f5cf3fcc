//! Every declaration that the compiler refuses, with the message that its author sees: `ui/<rule>.rs` and
//! `ui/<rule>.stderr`. After a wanted change of a message, `TRYBUILD=overwrite` writes the new one.

use std::{fs, io::Write, path::Path};

#[test]
fn ui() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let mut cases: Vec<_> = fs::read_dir(&folder)
        .expect("the folder tests/ui")
        .map(|entry| entry.expect("an entry of tests/ui").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    cases.sort();
    assert!(!cases.is_empty(), "tests/ui holds no case: nothing was checked");

    let runner = trybuild::TestCases::new();
    for case in &cases {
        // Relative, as cargo runs tests in the folder of their package.
        runner.compile_fail(Path::new("ui").join(case.file_name().expect("a file")));
    }
    // Dropping the runner compiles all cases and fails where one compiled or said something else.
    drop(runner);

    // Straight to the terminal: the messages are what this test has to show.
    let mut terminal = std::io::stderr().lock();
    for case in &cases {
        let name = case.file_stem().unwrap_or_default().to_string_lossy();
        let message = fs::read_to_string(case.with_extension("stderr")).unwrap_or_default();
        writeln!(terminal, "── {name}\n{message}").expect("the terminal");
    }
}
