//! `policies!`

use super::{assert_says, checked, expansion, tokens};
use crate::policies;

fn refused(input: &str) -> Vec<String> {
    checked(policies::expand(tokens(input)))
}

/// The generated sentence of a policy.
fn sentence(arguments: &str, on: &str) -> String {
    let text = expansion(policies::expand(tokens(&format!("pub policy p = capped({arguments}).on({on});"))));
    let start = text.find("\"Waits").expect("a sentence") + 1;
    text[start..].split('"').next().expect("its end").to_owned()
}

#[test]
fn documented_with_the_longest_total_wait() {
    assert_eq!(
        sentence("base = \"50ms\", cap = \"200ms\", retries = 3", "contention"),
        "Waits 50 ms doubling to 200 ms, full jitter, 3 retries (4 attempts); the longest total wait is 350 ms. \
         Retries `contention`."
    );
    assert_eq!(
        sentence("base = \"200ms\", cap = \"2s\", retries = 3, jitter = equal", "contention, connection_lost"),
        "Waits 200 ms doubling to 2 s, equal jitter, 3 retries (4 attempts); the longest total wait is 1.4 s. \
         Retries `contention`, `connection_lost`."
    );
    assert_eq!(
        sentence("base = \"1s\", cap = \"1s\", retries = 1", "deadlock"),
        "Waits up to 1 s, full jitter, 1 retry (2 attempts); the longest total wait is 1 s. Retries `deadlock`."
    );
    // min(2, 0.2·3) + min(2, 0.2·9) + min(2, 0.2·27)
    assert!(
        sentence("base = \"200ms\", cap = \"2s\", retries = 3, jitter = decorrelated", "unavailable").contains("4.4 s")
    );
    assert!(sentence("base = \"8760h\", cap = \"8760h\", retries = 10", "unavailable").contains("87600 h"));
}

#[test]
fn what_a_policy_says_of_itself() {
    let answers = |on: &str| {
        let input = format!("policy p = capped(base = \"1s\", cap = \"2s\", retries = 3).on({on});");
        let text = expansion(policies::expand(tokens(&input)));
        let answer = |name: &str| text.contains(&format!("type {name} = :: steadfast :: __private :: Yes"));
        (answer("Contention"), answer("Ambiguous"))
    };
    assert_eq!(answers("contention"), (true, false));
    assert_eq!(answers("lock_timeout"), (true, false));
    assert_eq!(answers("connection_lost"), (false, true));
    assert_eq!(answers("rate_limited"), (false, false));
    assert_eq!(answers("deadlock, unavailable, rate_limited"), (true, true));
}

#[test]
fn numbers_that_end() {
    let all = refused("pub policy p = capped();");
    assert_eq!(all.len(), 4, "{all:#?}");
    for missing in ["missing `base`", "missing `cap`", "missing `retries`", "missing `.on(…)`"] {
        assert_says(&all, &[missing]);
    }
    let refused = |arguments: &str| refused(&format!("policy p = capped({arguments}).on(contention);"));
    assert_says(&refused("base = \"0s\", cap = \"1s\", retries = 3"), &["`base` is zero"]);
    assert_says(&refused("base = \"2s\", cap = \"1s\", retries = 3"), &["`cap` is 1 s", "`base`, which is 2 s"]);
    assert_says(&refused("base = \"1s\", cap = \"1s\", retries = 0"), &["`retries` is 0", "`retry = never`"]);
    assert_says(&refused("base = \"1s\", cap = \"1s\", retries = 11"), &["at most 10"]);
    assert_says(&refused("base = \"1s\", cap = \"1s\", retries = 99999999999"), &["at most 10"]);
    assert_says(&refused("base = \"1s\", cap = \"1s\", attempts = 4"), &["write `retries = …`"]);
    assert_says(&refused("base = 1, cap = \"1s\", retries = 4"), &["`base` takes a duration"]);
    assert_says(&refused("base = \"1s\", cap = \"1s\", retries = 4, jitter = none"), &["jitter is never left out"]);
    assert_says(&refused("base = \"1s\", cap = \"1s\", retries = 4, jitter = ful"), &["did you mean `full`"]);
}

#[test]
fn kinds_that_may_be_retried() {
    let refused = |on: &str| refused(&format!("policy p = capped(base = \"1s\", cap = \"1s\", retries = 3){on};"));
    assert_says(&refused(".on(statement_timeout)"), &["`statement_timeout` is never retried: ", "expected one of"]);
    assert_says(&refused(".on(pool_exhausted, auth)"), &["`pool_exhausted` is never retried: "]);
    assert_says(&refused(".on(pool_exhausted, auth)"), &["`auth` is never retried: "]);
    assert_says(&refused(".on(contenton)"), &["unknown kind of failure `contenton`, did you mean `contention`"]);
    assert_says(&refused(".on(deadlock, deadlock)"), &["named twice"]);
    assert_says(&refused(".on(deadlock).on(contention)"), &["`.on(…)` is given twice"]);
    assert_says(&refused(".on()"), &["missing `.on(…)`"]);
    assert_says(&refused(".on(\"x\")"), &["takes kinds of failures"]);
    assert_says(
        &refused(".on(contention).bugdet()"),
        &["unknown word `bugdet`, did you mean `budget`; expected one of"],
    );
    assert!(refused(".on(contention).gate()").is_empty());
    assert_says(&refused(".on(contention).gate(3)"), &["`.gate()` takes nothing"]);
    assert_says(&refused(".on(contention).gate().gate()"), &["`gate` is given twice"]);
    assert_says(&refused(".on(rate_limited).gate()"), &["queue of units that met contention"]);
}

#[test]
fn a_budget_is_an_exact_share() {
    let policy = |share: &str| {
        format!("policy p = capped(base = \"1s\", cap = \"1s\", retries = 3).on(unavailable).budget({share});")
    };
    for (share, new, says) in [
        ("ratio = 0.1", "new (100000u32 , 1u32)", "at most 10 % of the calls, and 1 a second."),
        ("ratio = 1.0, min_per_second = 0", "new (1000000u32 , 0u32)", "at most 100 % of the calls.\""),
        ("ratio = 0.000_001", "new (1u32 , 1u32)", "at most 0.0001 % of the calls"),
        ("ratio = 0.333333, min_per_second = 1000", "new (333333u32 , 1000u32)", "at most 33.3333 % of the calls"),
    ] {
        let text = expansion(policies::expand(tokens(&policy(share))));
        assert!(text.contains(new) && text.contains(says), "{share}: {text}");
    }
    let refused = |share: &str| refused(&policy(share));
    for share in
        ["ratio = 0.0", "ratio = -0.1", "ratio = 1.1", "ratio = 2.0", "ratio = 1e9", "ratio = 99999999999999999999.0"]
    {
        assert_says(&refused(share), &["is no share of the calls; write a ratio between"]);
    }
    assert_says(&refused("ratio = 0.1234567"), &["more than six digits"]);
    assert_says(&refused("ratio = 0.1f32"), &["has a suffix"]);
    assert_says(&refused("ratio = \"10%\""), &["`ratio` takes a fraction"]);
    assert_says(&refused(""), &["missing `ratio`"]);
    assert_says(&refused("ratio = 0.1, min_per_second = 1001"), &["between 0 and 1000"]);
    assert_says(&refused("ratio = 0.1, min = 1"), &["unknown key `min`"]);
    assert_says(&refused("ratio = 0.1).budget(ratio = 0.2"), &["`budget` is given twice"]);
}

#[test]
fn a_hook_is_the_path_of_a_function() {
    let policy = |path: &str| {
        format!("policy p = capped(base = \"1s\", cap = \"1s\", retries = 3).on(unavailable).on_retry({path});")
    };
    let text = expansion(policies::expand(tokens(&policy("crate::retry::told"))));
    assert!(text.contains("= crate :: retry :: told ; hook"), "{text}");
    assert_says(&refused(&policy("")), &["names a function"]);
    assert_says(&refused(&policy("|_| {}")), &["takes the path of a function"]);
    assert_says(&refused(&policy("told()")), &["takes the path of a function"]);
    assert_says(&refused(&policy("a).on_retry(b")), &["`on_retry` is given twice"]);
}

#[test]
fn durable_delays_end() {
    let text =
        expansion(policies::expand(tokens("pub policy relay = durable(base = \"1s\", cap = \"1h\", attempts = 20);")));
    let says =
        "Waits 1 s doubling to 1 h, equal jitter by count and key, 20 attempts; the longest total wait is 8.14 h.";
    assert!(text.contains(says), "{text}");
    let refused = |rest: &str| refused(&format!("pub policy relay = durable({rest};"));
    assert_eq!(refused(")").len(), 3);
    assert_says(&refused("base = \"1s\", cap = \"1h\")"), &["missing `attempts`"]);
    assert_says(&refused("base = \"1h\", cap = \"1s\", attempts = 2)"), &["shorter than `base`"]);
    assert_says(&refused("base = \"1s\", cap = \"1h\", attempts = 1)"), &["at least 2"]);
    assert_says(&refused("base = \"1s\", cap = \"1h\", attempts = 1001)"), &["at most 1000"]);
    assert_says(&refused("base = \"1s\", cap = \"1h\", retries = 3)"), &["a row counts its attempts"]);
    assert_says(&refused("base = \"1s\", cap = \"1h\", attempts = 3, jitter = full)"), &["leave `jitter` out"]);
    assert_says(&refused("base = \"1s\", cap = \"1h\", attempts = 3).on(contention)"), &["remove `.on(…)`"]);
}

#[test]
fn names() {
    let policy =
        |name: &str| format!("policy {name} = capped(base = \"1s\", cap = \"1s\", retries = 3).on(contention);");
    assert_says(&refused(&policy("never")), &["`never` is a word of the attributes"]);
    assert_says(&refused(&(policy("a") + &policy("r#a"))), &["two items are called `a`"]);
    assert!(expansion(policies::expand(tokens(&policy("r#final")))).contains("name : \"final\""));
    expansion(policies::expand(tokens("")));
}

#[test]
fn the_right_form_is_shown() {
    for (input, expected) in [
        ("pub x", "unknown item `x`; expected `policy`, written `pub policy"),
        ("pub", "expected `policy` or `schedule`"),
        ("pub policy", "expected the name of the policy"),
        ("pub schedule", "expected the name of the schedule, written `pub schedule tick"),
        ("pub policy x", "expected `=`"),
        ("pub policy x = ", "expected `capped(…)`"),
        ("pub policy x = linear();", "unknown shape `linear`; expected one of `capped`, `durable`"),
        (
            "pub policy x = exponential();",
            "`exponential` is a shape of schedules, which retry no unit; expected one of `capped`",
        ),
        ("pub schedule x = capped();", "`capped` is a shape of policies; expected one of `recurs`, `spaced`"),
        ("pub schedule x = space();", "unknown shape `space`, did you mean `spaced`"),
        ("pub schedule x = ", "expected `spaced(…)`"),
        ("pub policy x = capped;", "expected `(…)` after `capped`"),
        ("pub policy x = capped().on;", "expected `(…)` after `on`"),
        ("pub policy x = capped(base = \"1s\", cap = \"1s\", retries = 1)", "expected `.on(…)` or `;`"),
        ("pub schedule tick = spaced(\"1s\")", "expected `.up_to(…)` or `;`, written `pub schedule tick"),
    ] {
        assert_says(&refused(input), &[expected]);
    }
    // A missing `;` is one error, and the policies beside it are read.
    let input = "policy a = capped(base = \"1s\", cap = \"1s\", retries = 1).on(x) policy b = capped(); policy c = capped().on();";
    assert_eq!(refused(input).len(), 1 + 1 + 4, "{:#?}", refused(input));
}

#[test]
fn a_policy_with_a_mistake_still_has_its_name() {
    let text =
        policies::expand(tokens("pub policy x = oops; pub policy y = capped(retries = 99).on(foo);")).to_string();
    for name in ["pub enum x", "pub enum y"] {
        assert!(text.contains(name), "{text}");
    }
}
