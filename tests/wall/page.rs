//! `docs/errors.md`, made of the cases of `ui/`, their messages and the twins: `STEADFAST_BLESS=1` writes it.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};

use super::pairs::{anchor, files, tests};

const HEAD: &str = "\
# Every error and its fix

What the compiler says about a declaration, and a declaration of the same kind that it takes. Made from `tests/ui/` and `tests/wall/`; a
test keeps it so. Search for the words of your message: names, numbers and types in it are yours.

Errors with a code, such as E0277, are found by rustc's own checks; where its words are not ours, a sentence explains them.
";

/// One case, as its files say it.
struct Case {
    /// What is wrong with the declarations.
    title: String,
    /// What rustc's own words mean here; empty where ours are told.
    explained: String,
    messages: String,
}

fn case(path: &Path) -> (String, Case) {
    let text = fs::read_to_string(path).unwrap();
    let mut docs = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let first = docs.next().and_then(|line| line.strip_prefix("docs/rules.md#"));
    let (rule, title) = first.and_then(|line| line.split_once(": ")).expect("its rule and what is wrong");
    let explained = docs.collect::<Vec<_>>().join("\n").trim().to_owned();
    let messages = messages(&fs::read_to_string(path.with_extension("stderr")).unwrap());
    let case = Case { title: title.trim_end_matches('.').to_owned(), explained, messages };
    (rule.to_owned(), case)
}

/// Each message with the lines that it is about and our notes; the rest is rustc's search for other types, and where a line stands.
fn messages(stderr: &str) -> String {
    let mut kept = Vec::new();
    let mut is_kept = true;
    for line in stderr.lines() {
        let text = line.trim_start();
        let part = text.strip_prefix("= ").unwrap_or(text);
        if line.starts_with("error") || part.starts_with("note: ") || part.starts_with("help: ") {
            is_kept = line.starts_with("error") || (part.starts_with("note: ") && text.starts_with("= "));
        }
        if is_kept && text != "|" && !text.starts_with("-->") && !text.starts_with(":::") {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// By case, the declarations behind each `// twin of: …`: up to the next empty line, or what is said in one line.
fn twins() -> BTreeMap<String, Vec<String>> {
    let mut twins: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files(&tests().join("wall")).into_values().chain([tests().join("retry/mod.rs")]) {
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(cases) = line.trim_start().strip_prefix("// twin of: ") else { continue };
            let indent = line.len() - line.trim_start().len();
            let twin = declaration(&lines[at + 1..], indent);
            for case in cases.split(", ") {
                twins.entry(case.to_owned()).or_default().push(twin.clone());
            }
        }
    }
    // A test is shown only where nothing else is the twin.
    for twins in twins.values_mut() {
        if let Some(at) = twins.iter().position(|twin| !twin.contains("test]\n")) {
            *twins = vec![twins.swap_remove(at)];
        }
    }
    twins
}

/// The lines up to an empty one outside of all braces; the one line of a policy, and of a table of cron lines.
fn declaration(lines: &[&str], indent: usize) -> String {
    let mut depth = 0;
    let mut declaration = String::new();
    for line in lines {
        if line.is_empty() && depth == 0 {
            break;
        }
        depth += line.matches(['{', '(']).count();
        depth = depth.saturating_sub(line.matches(['}', ')']).count());
        writeln!(declaration, "{}", line.get(indent..).unwrap_or_default()).unwrap();
        if depth == 0 && line.contains(" policy ") | line.contains(" schedule ") | line.trim_start().starts_with('"') {
            break;
        }
    }
    declaration
}

fn page() -> String {
    let (mut by_rule, twins) = (BTreeMap::<String, Vec<(String, Case)>>::new(), twins());
    for (name, path) in files(&tests().join("ui")) {
        let (rule, case) = case(&path);
        by_rule.entry(rule).or_default().push((name, case));
    }
    let mut page = HEAD.to_owned();
    let rules = fs::read_to_string(tests().join("../docs/rules.md")).unwrap();
    for section in rules.split("\n### ").skip(1) {
        let heading = section.lines().next().unwrap();
        let Some(cases) = by_rule.remove(&anchor(heading)) else { continue };
        write!(page, "\n## {heading}\n\nThe rule and its reason: [rules.md](rules.md#{}).\n", anchor(heading)).unwrap();
        for (name, Case { title, explained, messages }) in cases {
            write!(page, "\n### {}\n", capital(&title)).unwrap();
            if !explained.is_empty() {
                write!(page, "\n{explained}\n").unwrap();
            }
            write!(page, "\n```text\n{messages}\n```\n").unwrap();
            let twin = as_written(&twins.get(&name).unwrap_or_else(|| panic!("ui/{name}.rs has a twin")).join("\n"));
            write!(page, "\nThis compiles:\n\n```rust,ignore\n{}\n```\n", twin.trim_end()).unwrap();
        }
    }
    assert!(by_rule.is_empty(), "rules that docs/rules.md has not");
    page
}

/// Of a table of cron lines, `"…" => "…", …`, the lines as a job has them; anything else as it is.
fn as_written(twin: &str) -> String {
    if !twin.trim_start().starts_with('"') {
        return twin.to_owned();
    }
    let lines = twin.split(" => ").filter_map(|part| part.rsplit('"').nth(1)).take(twin.matches(" => ").count());
    let jobs: Vec<String> = lines.map(|line| format!("#[job(cron = \"{line}\", timeout = \"1m\")]")).collect();
    jobs.join("\n")
}

fn capital(title: &str) -> String {
    let mut letters = title.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[test]
fn the_page_of_errors_says_what_the_compiler_says() {
    let path = tests().join("../docs/errors.md");
    let page = page();
    if env::var_os("STEADFAST_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let differs = page.lines().zip(written.lines()).position(|(new, old)| new != old);
    assert!(
        page == written,
        "docs/errors.md is not what tests/ui says, from line {}; run the test `page` with STEADFAST_BLESS=1",
        differs.unwrap_or(page.lines().count().min(written.lines().count())) + 1
    );
}

/// Words that only the compiler's authors understand.
const OWN_WORDS: [&str; 8] = ["E0061", "E0063", "E0308", "E0382", "E0425", "E0428", "E0433", "E0573"];

#[test]
fn what_rustc_says_in_its_own_words_is_explained() {
    for (name, path) in files(&tests().join("ui")) {
        let (_, Case { explained, messages, .. }) = case(&path);
        for code in OWN_WORDS.iter().filter(|code| messages.contains(&format!("error[{code}]"))) {
            assert!(explained.contains(*code), "ui/{name}.rs says what {code} means, below its first line");
        }
        if messages.contains("is never used") {
            assert!(explained.contains("dead_code"), "ui/{name}.rs says what is never used");
        }
        if messages.contains("future cannot be sent between threads") {
            assert!(explained.contains("Send"), "ui/{name}.rs says what has to be `Send`");
        }
    }
}
