//! The crates that are compiled, in a temporary workspace with the dependencies of this one.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::{
    functions, jobs,
    measure::{self, Cost},
};

/// One crate of a set: what stands on its functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Ours(Set),
    Instrument(Set),
    Loop(Set),
    Nothing(Set),
    Plain(Set),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    Units,
    Jobs,
}

pub(crate) const UNITS: [Variant; 5] = {
    use Variant::{Instrument, Loop, Nothing, Ours, Plain};
    [Ours(Set::Units), Instrument(Set::Units), Loop(Set::Units), Nothing(Set::Units), Plain(Set::Units)]
};
pub(crate) const JOBS: [Variant; 4] = {
    use Variant::{Instrument, Nothing, Ours, Plain};
    [Ours(Set::Jobs), Instrument(Set::Jobs), Nothing(Set::Jobs), Plain(Set::Jobs)]
};
/// An empty proc-macro crate on `syn`, ours, and a crate on the runtime without a database.
pub(crate) const FROM_CLEAN: [&str; 3] = ["syn_alone", "steadfast-macros", "bare"];

impl Variant {
    pub(crate) fn package(self) -> &'static str {
        match self {
            Self::Ours(Set::Units) => "units_ours",
            Self::Instrument(Set::Units) => "units_instrument",
            Self::Loop(_) => "units_loop",
            Self::Nothing(Set::Units) => "units_nothing",
            Self::Plain(Set::Units) => "units_plain",
            Self::Ours(Set::Jobs) => "jobs_ours",
            Self::Instrument(Set::Jobs) => "jobs_instrument",
            Self::Nothing(Set::Jobs) => "jobs_nothing",
            Self::Plain(Set::Jobs) => "jobs_plain",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours(Set::Units) => "#[atomic_unit]",
            Self::Ours(Set::Jobs) => "#[job], registry!",
            Self::Instrument(_) => "#[tracing::instrument]",
            Self::Loop(_) => "a loop by hand",
            Self::Nothing(_) => "a macro that changes nothing",
            Self::Plain(_) => "plain functions",
        }
    }

    fn source(self, number: usize) -> String {
        match self {
            Self::Ours(Set::Jobs) | Self::Instrument(Set::Jobs) | Self::Nothing(Set::Jobs) | Self::Plain(Set::Jobs) => {
                jobs::source(self, number)
            }
            _ => functions::source(self, number),
        }
    }
}

/// What every measured crate may use, whether it does or not: one set of features, so one build of the dependencies.
const DEPENDENCIES: &str = r#"
nothing = { path = "../nothing" }
sqlx = { version = "0.9", default-features = false, features = ["runtime-tokio", "sqlite-bundled"] }
thiserror = "2"
tokio = { version = "1", default-features = false, features = ["time"] }
tracing = "0.1"
"#;

const SYN: &str = r#"
proc-macro2 = "1"
quote = "1"
syn = { version = "3", default-features = false, features = ["full", "parsing", "printing", "proc-macro", "clone-impls"] }
"#;

pub(crate) struct Workspace {
    folder: TempDir,
}

impl Workspace {
    pub(crate) fn create() -> io::Result<Self> {
        let this = Self { folder: tempfile::tempdir()? };
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
        // A literal string of TOML: backslashes are themselves.
        let runtime = |features: &str| {
            format!(
                "steadfast = {{ path = '{}', default-features = false, features = [{features}] }}",
                ours.join("runtime").display()
            )
        };
        fs::write(
            this.path("Cargo.toml"),
            "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\nexclude = [\"target\"]\n",
        )?;
        fs::copy(ours.join("Cargo.lock"), this.path("Cargo.lock"))?;
        let unchanged = "use proc_macro::TokenStream;\n\n#[proc_macro_attribute]\npub fn nothing(_: TokenStream, item: TokenStream) -> TokenStream {\n    item\n}\n";
        this.package("nothing", "[lib]\nproc-macro = true\n", "", unchanged)?;
        this.package("syn_alone", "[lib]\nproc-macro = true\n", SYN, "")?;
        // A member, so that its name can be built: its own folder belongs to another workspace.
        let macros = format!("steadfast-macros = {{ path = '{}' }}\n", ours.join("macros").display());
        this.package("macros", "", &macros, "")?;
        this.package("bare", "", &runtime(""), "")?;
        for variant in UNITS.into_iter().chain(JOBS) {
            this.package(variant.package(), "", &format!("{}{}", runtime("\"sqlite\""), DEPENDENCIES), "")?;
            this.write(variant, 0)?;
        }
        Ok(this)
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    fn package(&self, name: &str, more: &str, dependencies: &str, source: &str) -> io::Result<()> {
        let folder = self.path(name);
        fs::create_dir_all(folder.join("src"))?;
        let package = format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n");
        fs::write(folder.join("Cargo.toml"), format!("{package}{more}\n[dependencies]\n{dependencies}"))?;
        fs::write(folder.join("src/lib.rs"), source)
    }

    /// The crate's source with this number in one of its bodies.
    pub(crate) fn write(&self, variant: Variant, number: usize) -> io::Result<()> {
        fs::write(self.path(variant.package()).join("src/lib.rs"), variant.source(number))
    }

    /// Cargo as a user runs it: debug, incremental, nothing of our own environment; the versions are those of our lock.
    pub(crate) fn cargo(&self, words: &[&str]) -> Cost {
        let mut command = Command::new(env!("CARGO"));
        command.args(words).arg("--offline").current_dir(self.folder.path());
        command.env("CARGO_TARGET_DIR", self.path("target")).env("CARGO_INCREMENTAL", "1");
        for inherited in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"] {
            command.env_remove(inherited);
        }
        measure::run(&mut command)
    }
}
