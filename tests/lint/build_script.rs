//! A user's build script, run by cargo: the build fails at file and line, and only while there is something.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A package of its own, whose build script calls the lint.
fn package() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lint_in_a_build");
    let _absent_at_first = fs::remove_dir_all(folder.join("package"));
    fs::create_dir_all(folder.join("package/src")).unwrap();
    let package = folder.join("package");
    let manifest = format!(
        "[workspace]\n[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [build-dependencies]\nsteadfast-lint = {{ path = '{}' }}\n",
        Path::new(WORKSPACE).join("lint").display()
    );
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    // The versions that are there: nothing is fetched.
    fs::copy(Path::new(WORKSPACE).join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    fs::write(package.join("build.rs"), "fn main() { steadfast_lint::deny_inline_retries(); }\n").unwrap();
    fs::write(package.join("src/lib.rs"), "//! A shop.\nmod mail;\n").unwrap();
    package
}

/// Whether the build succeeded, and what was said. Dependencies are built once for all runs of this test.
fn check(package: &Path) -> (bool, String) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["check", "--offline", "--color=never", "--target-dir"])
        .arg(package.with_file_name("target"))
        .current_dir(package)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_build_fails_at_file_and_line_until_it_is_mended() {
    let package = package();
    let mail = package.join("src/mail.rs");
    fs::write(&mail, "//! Mails.\n").unwrap();
    let (built, said) = check(&package);
    assert!(built, "{said}");

    let by_hand = "//! Mails.\npub fn send() {\n    while !sent() {\n        std::thread::sleep(ONE);\n    }\n}\n";
    fs::write(&mail, by_hand).unwrap();
    let (built, said) = check(&package);
    assert!(!built, "cargo saw the changed source: {said}");
    assert!(said.contains("error: shop@0.1.0: src/mail.rs:4:22: a loop that sleeps, by `sleep`"), "{said}");

    fs::write(&mail, "//! Mails.\n").unwrap();
    let (built, said) = check(&package);
    assert!(built, "{said}");
}
