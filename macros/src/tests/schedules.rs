//! The schedules of `policies!`

use super::{assert_says, checked, expansion, tokens};
use crate::policies;

fn refused(schedule: &str) -> Vec<String> {
    checked(policies::expand(tokens(&format!("pub schedule tick = {schedule};"))))
}

fn expanded(schedule: &str) -> String {
    expansion(policies::expand(tokens(&format!("pub schedule tick = {schedule};"))))
}

#[test]
fn documented_with_its_delays_and_its_end() {
    for (schedule, sentence) in [
        ("recurs(3)", "Runs again at once; at most 3 times after the first run."),
        ("recurs(1).up_to(\"5m\")", "Runs again at once; at most once after the first run and for at most 5 min."),
        ("spaced(\"1s\")", "Waits 1 s after each run; without an end."),
        (
            "spaced(\"1s\").jittered().up_to(5)",
            "Waits 1 s after each run, proportional jitter; at most 5 times after the first run.",
        ),
        ("fixed(\"1m\").up_to(\"1h\")", "Runs every 1 min, counted from the start of the first run; for at most 1 h."),
        (
            "exponential(base = \"100ms\", cap = \"10s\").jittered(full)",
            "Waits 100 ms doubling to 10 s after each run, full jitter; without an end.",
        ),
        (
            "exponential(base = \"1s\", cap = \"1s\").up_to(2)",
            "Waits 1 s after each run; at most 2 times after the first run.",
        ),
        (
            "fibonacci(base = \"100ms\", cap = \"10s\").jittered(equal).up_to(9).up_to(\"1m\")",
            "Waits 100 ms growing by the Fibonacci numbers to 10 s after each run, equal jitter; at most 9 times after the first \
             run and for at most 1 min.",
        ),
    ] {
        let text = expanded(schedule);
        assert!(text.contains(&format!("\"{sentence}\"")), "{schedule}: {text}");
    }
}

#[test]
fn what_a_schedule_says_of_itself() {
    let answers = |schedule: &str| {
        let text = expanded(schedule);
        let answer = |name: &str| text.contains(&format!("type {name} = :: steadfast :: __private :: Yes"));
        (answer("Bounded"), answer("Jittered"))
    };
    assert_eq!(answers("recurs(3)"), (true, false));
    assert_eq!(answers("spaced(\"1s\")"), (false, false));
    assert_eq!(answers("fixed(\"1s\").jittered()"), (false, true));
    assert_eq!(answers("spaced(\"1s\").up_to(5)"), (true, false));
    assert_eq!(answers("spaced(\"1s\").up_to(\"5m\").jittered(full)"), (true, true));
    let text = expanded("exponential(base = \"100ms\", cap = \"10s\").jittered().up_to(7).up_to(\"2m\")");
    for part in
        ["Exponential { base : 100u64 , cap : 10000u64 }", "Jitter :: Proportional", "Some (7u32)", "Some (120000u64)"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn numbers_that_pace() {
    assert_says(&refused("recurs(0)"), &["`recurs(0)` never recurs; call the work without a schedule"]);
    assert_says(&refused("recurs()"), &["`recurs` takes a number of times, for example `recurs(3)`"]);
    assert_says(&refused("recurs(\"3s\")"), &["`recurs` takes a number of times"]);
    assert_says(&refused("recurs(1000001)"), &["at most 1000000 times"]);
    assert_says(&refused("spaced(\"0s\")"), &["`spaced` is zero, which paces nothing"]);
    assert_says(&refused("spaced(5)"), &["`spaced` takes a duration, for example `spaced(\"1s\")`"]);
    assert_says(&refused("fixed(\"1s\", \"2s\")"), &["`fixed` takes a duration"]);
    assert_says(&refused("fixed(\"1.5s\")"), &["has a fraction"]);
    assert_says(&refused("exponential(base = \"1s\")"), &["missing `cap`, delays that grow"]);
    assert_eq!(refused("fibonacci()").len(), 2);
    assert_says(&refused("fibonacci(base = \"2s\", cap = \"1s\")"), &["shorter than `base`"]);
    assert_says(&refused("exponential(base = \"0s\", cap = \"1s\")"), &["`base` is zero, which paces nothing"]);
    assert_says(&refused("exponential(base = \"1s\", cap = \"9s\", retries = 3)"), &["write `.up_to(5)`"]);
    assert_says(&refused("exponential(base = \"1s\", cap = \"9s\", jitter = full)"), &["write `.jittered()`"]);
}

#[test]
fn bounds_stand_once() {
    assert_says(&refused("spaced(\"1s\").up_to(5).up_to(6)"), &["bounds the number of runs twice"]);
    assert_says(&refused("spaced(\"1s\").up_to(\"5m\").up_to(\"6m\")"), &["bounds the time twice"]);
    assert_says(
        &refused("recurs(3).up_to(5)"),
        &["`recurs` has its number already; remove `.up_to(5)`, or write `recurs(5)`"],
    );
    assert_says(&refused("spaced(\"1s\").up_to(0)"), &["`up_to(0)` never recurs"]);
    assert_says(&refused("spaced(\"1s\").up_to(\"0s\")"), &["`up_to` is zero"]);
    assert_says(
        &refused("spaced(\"10s\").up_to(\"5s\")"),
        &["`up_to` is 5 s, shorter than the first delay, which is 10 s"],
    );
    for list in ["", "five", "1.5", "5, 6"] {
        assert_says(&refused(&format!("spaced(\"1s\").up_to({list})")), &["takes a number of times or a duration"]);
    }
}

#[test]
fn jitter_has_a_word() {
    assert_says(&refused("spaced(\"1s\").jittered(ful)"), &["unknown jitter `ful`, did you mean `full`"]);
    assert_says(&refused("spaced(\"1s\").jittered(none)"), &["remove `.jittered(none)`"]);
    assert_says(&refused("spaced(\"1s\").jittered(decorrelated)"), &["is a jitter of policies"]);
    assert_says(&refused("spaced(\"1s\").jittered(0.2)"), &["takes a word or nothing"]);
    assert_says(&refused("spaced(\"1s\").jittered().jittered(full)"), &["`jittered` is given twice"]);
    assert_says(&refused("recurs(3).jittered()"), &["nothing to jitter"]);
    assert_says(&refused("spaced(\"1s\").on(contention)"), &["`.on(…)` is a word of retry policies"]);
    assert_says(&refused("spaced(\"1s\").jitter()"), &["unknown word `jitter`, did you mean `jittered`"]);
}

#[test]
fn names_are_shared_with_policies() {
    let policy = "pub policy tick = capped(base = \"1s\", cap = \"1s\", retries = 3).on(contention);";
    let all = checked(policies::expand(tokens(&format!("{policy} pub schedule tick = spaced(\"1s\");"))));
    assert_says(&all, &["two items are called `tick`"]);
    let all = checked(policies::expand(tokens("pub schedule never = spaced(\"1s\");")));
    assert_says(&all, &["give the schedule another name"]);
}

/// What names it adds no error of its own: with a mistake in it, it is bounded and jittered.
#[test]
fn a_schedule_with_a_mistake_still_has_its_name() {
    for schedule in
        ["oops", "oops()", "recurs()", "spaced(\"1s\").up_to(0)", "spaced(\"1s\").upto(5)", "spaced(\"1s\").up_to"]
    {
        let text = policies::expand(tokens(&format!("pub schedule tick = {schedule};"))).to_string();
        assert!(
            text.contains("pub enum tick") && text.contains("type Bounded = :: steadfast :: __private :: Yes"),
            "{text}"
        );
    }
}
