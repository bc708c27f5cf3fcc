//! The names of exclusive jobs, kept in a file.

use std::{collections::BTreeSet, env, fs, io, path::Path};

use crate::jobs::Registry;

/// What says that the file is to be written anew.
const VARIABLE: &str = "STEADFAST_NAMES";

/// Fails when the exclusive jobs of a registry are not called what the file says: one name a line, kept beside the sources.
///
/// The name is the key of the lease row. A job that is renamed, or moved where it has no `name` of its own, is a second job to the
/// replicas of the release before: in a rolling deploy both run its slot. So a change of a name should be seen in review. After a
/// wanted one, `STEADFAST_NAMES=overwrite cargo test` writes the file.
///
/// ```no_run
/// # use steadfast::{Registry, jobs::NoLeases};
/// # struct App;
/// # static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
/// #[test]
/// fn exclusive_jobs_keep_their_names() {
///     steadfast::testing::assert_names(&JOBS, "jobs.lock");
/// }
/// ```
///
/// # Panics
/// When they differ, or the file cannot be read (or written). A relative path begins in the folder of the package, where cargo runs
/// its tests.
pub fn assert_names<A, L>(registry: &Registry<A, L>, file: impl AsRef<Path>) {
    let file = file.as_ref();
    let names: BTreeSet<&str> = registry.iter().filter(|job| job.exclusive).map(|job| job.name).collect();
    let shown = file.display();
    if env::var_os(VARIABLE).is_some_and(|value| value == "overwrite") {
        let text: String = names.iter().flat_map(|name| [name, "\n"]).collect();
        return fs::write(file, text).unwrap_or_else(|error| panic!("`{shown}` cannot be written: {error}"));
    }
    let text = fs::read_to_string(file).unwrap_or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            panic!("`{shown}` is not there; write it, for example `{VARIABLE}=overwrite cargo test`")
        }
        _ => panic!("`{shown}` cannot be read: {error}"),
    });
    let kept: BTreeSet<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let gone: Vec<_> = kept.difference(&names).collect();
    let new: Vec<_> = names.difference(&kept).collect();
    assert!(
        gone.is_empty() && new.is_empty(),
        "the exclusive jobs are not those of `{shown}`: gone {gone:?}, new {new:?}; a job that was renamed is a second one to the \
         release before, so give it its old `name = \"…\"`, or write the file anew, for example `{VARIABLE}=overwrite cargo test`"
    );
}
