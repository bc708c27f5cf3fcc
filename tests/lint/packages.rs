//! Where the sources of the packages are that this workspace is built from.

use std::{collections::BTreeMap, path::PathBuf, process::Command};

/// The folder of each package, by name; of two versions the newer one. Nothing is fetched.
pub(crate) fn folders() -> BTreeMap<String, PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Packages of other systems are not there.
    let platform = format!("--filter-platform={}", host());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--offline", "--all-features", &platform])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let mut folders = BTreeMap::new();
    for package in packages {
        let text = |key: &str| package[key].as_str().expect("a text").to_owned();
        let mut folder = PathBuf::from(text("manifest_path"));
        folder.pop();
        let version: Vec<u64> = text("version").split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect();
        let newest = folders.entry(text("name")).or_insert_with(|| (version.clone(), folder.clone()));
        if version > newest.0 {
            *newest = (version, folder);
        }
    }
    folders.into_iter().map(|(name, (_, folder))| (name, folder)).collect()
}

/// What this compiler compiles for by itself.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().expect("rustc");
    let text = String::from_utf8(output.stdout).expect("text");
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("the line `host: …` of rustc -vV").to_owned()
}
