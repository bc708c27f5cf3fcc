//! Every rule has a case that is refused, a twin that is not, and a heading in `docs/rules.md`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

pub(super) fn tests() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The `.rs` files in a folder, by name without the ending.
pub(super) fn files(folder: &Path) -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    let sources = paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    sources.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path)).collect()
}

#[test]
fn every_rule_has_a_pair() {
    let cases: BTreeSet<String> = files(&tests().join("ui")).into_keys().collect();
    let mut twins = BTreeSet::new();
    for path in files(&tests().join("wall")).into_values().chain([tests().join("retry/mod.rs")]) {
        for line in fs::read_to_string(path).unwrap().lines() {
            if let Some(rules) = line.trim_start().strip_prefix("// twin of: ") {
                twins.extend(rules.split(", ").map(str::to_owned));
            }
        }
    }
    let without: Vec<_> = cases.difference(&twins).collect();
    assert!(without.is_empty(), "`// twin of: …` is missing in tests/wall for {without:?}");
    let gone: Vec<_> = twins.difference(&cases).collect();
    assert!(gone.is_empty(), "tests/wall has twins of cases that tests/ui has not: {gone:?}");
}

#[test]
fn every_case_has_its_message() {
    let folder = tests().join("ui");
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    for path in entries.filter(|path| path.extension().is_some_and(|extension| extension == "stderr")) {
        assert!(path.with_extension("rs").exists(), "{} belongs to no case", path.display());
        let text = fs::read_to_string(&path).unwrap();
        // One mistake, one message of the user's own tokens, and nothing of how it is done.
        for word in ["__", "originates in", "warning: "] {
            assert!(!text.contains(word), "{} says `{word}`", path.display());
        }
    }
}

/// `### Name every policy` is cited as `#name-every-policy`.
pub(super) fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-');
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[test]
fn every_rule_of_the_compiler_has_a_case() {
    let rules = fs::read_to_string(tests().join("../docs/rules.md")).unwrap();
    let mut headings = BTreeSet::new();
    let mut refused = BTreeSet::new();
    for section in rules.split("\n### ").skip(1) {
        let heading = anchor(section.lines().next().unwrap());
        if section.split("Enforced:").nth(1).is_some_and(|enforced| enforced.contains("compiler")) {
            refused.insert(heading.clone());
        }
        headings.insert(heading);
    }
    let mut cited = BTreeSet::new();
    for (name, path) in files(&tests().join("ui")) {
        let text = fs::read_to_string(&path).unwrap();
        let citation = text.lines().next().and_then(|line| line.strip_prefix("//! docs/rules.md#"));
        let (rule, _) = citation.and_then(|citation| citation.split_once(": ")).unwrap_or_else(|| {
            panic!("ui/{name}.rs begins with its rule, for example `//! docs/rules.md#name-every-policy: …`")
        });
        assert!(headings.contains(rule), "ui/{name}.rs cites `{rule}`, which docs/rules.md has not");
        cited.insert(rule.to_owned());
    }
    let without: Vec<_> = refused.difference(&cited).collect();
    assert!(
        without.is_empty(),
        "docs/rules.md says that the compiler refuses what no case of tests/ui shows: {without:?}"
    );
    let silent: Vec<_> = cited.difference(&refused).collect();
    assert!(silent.is_empty(), "docs/rules.md does not say that the compiler enforces {silent:?}");
}

/// The options that the documentation of the macros lists, by what stands first in their line: `retry = NAME`, `.gate()`.
fn options() -> BTreeSet<String> {
    let docs = fs::read_to_string(tests().join("../macros/src/lib.rs")).unwrap();
    let mut options = BTreeSet::new();
    for line in docs.lines().filter(|line| line.starts_with("/// - `")) {
        // `rate_limited`, `unavailable`: …; what is quoted in the sentence behind is no option.
        let end =
            line.match_indices('`').map(|(at, _)| at).skip(1).step_by(2).find(|at| !line[at + 1..].starts_with(", `"));
        for quoted in line[..end.unwrap_or(line.len())].split('`').skip(1).step_by(2) {
            let word: String = quoted
                .trim_start_matches(|c: char| !c.is_alphabetic())
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            let is_option = quoted.starts_with(['.', '#']) || word.starts_with(|c: char| c.is_ascii_lowercase());
            if is_option && word.len() > 1 {
                options.insert(word);
            }
        }
    }
    options
}

#[test]
fn every_option_is_taken_by_a_twin_and_refused_in_a_case() {
    let text = |folder: &str| -> String {
        let all = files(&tests().join(folder)).into_values();
        // A message names what could be meant, too.
        let texts = all.flat_map(|path| [fs::read_to_string(path.with_extension("stderr")), fs::read_to_string(path)]);
        texts.map(Result::unwrap_or_default).collect()
    };
    let (refused, taken) = (text("ui"), text("wall") + &fs::read_to_string(tests().join("retry/mod.rs")).unwrap());
    let options = options();
    assert!(options.len() > 40, "{options:?}");
    let within = |text: &str| -> Vec<&String> {
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        options.iter().filter(|option| !words.contains(option.as_str())).collect()
    };
    assert_eq!((within(&taken), within(&refused)), (vec![], vec![]), "no twin takes these, and no case refuses those");
}

/// The texts in the `err!`s and `bail!`s of the macros, each by the longest part that holds no value, with its file and line.
fn messages(folder: &Path, all: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                messages(&path, all);
            }
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        // What stands in comments is an example.
        let code: String = text
            .lines()
            .map(|line| if line.trim_start().starts_with("//") { "\n" } else { line }.to_owned() + "\n")
            .collect();
        for (at, call) in code.match_indices("err!(").chain(code.match_indices("bail!(")) {
            let rest = &code[at + call.len()..];
            let Some(quoted) = first_text(rest) else { continue };
            let parts = quoted.split(['{', '}']).step_by(2);
            let longest = parts.max_by_key(|part| part.len()).unwrap_or_default().trim().to_owned();
            let line = code[..at].lines().count();
            all.push((format!("{}:{line}", path.display()), longest));
        }
    }
}

/// The first literal in these lines, as its author meant it.
fn first_text(code: &str) -> Option<String> {
    let start = code.find('"')? + 1;
    let mut text = String::new();
    let mut letters = code[start..].chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return Some(text),
            '\\' => match letters.next()? {
                '\n' => letters = letters.as_str().trim_start().chars(),
                escaped => text.push(escaped),
            },
            letter => text.push(letter),
        }
    }
    None
}

/// A message that no case shows is on no page, and nobody has read it as a user does.
#[test]
fn every_message_is_shown_by_a_case() {
    let shown: String = files(&tests().join("ui"))
        .into_values()
        .map(|path| fs::read_to_string(path.with_extension("stderr")).unwrap_or_default())
        .collect();
    let mut all = Vec::new();
    messages(&tests().join("../macros/src"), &mut all);
    assert!(all.len() > 150, "{} messages", all.len());
    let unseen: Vec<_> = all.iter().filter(|(_, text)| !shown.contains(text.as_str())).collect();
    assert!(unseen.is_empty(), "no case of tests/ui says {unseen:#?}");
}
