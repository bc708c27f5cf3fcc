//! `registry!`

use super::{assert_says, checked, expansion, tokens};
use crate::registry;

fn refused(input: &str) -> Vec<String> {
    checked(registry::expand(tokens(input)))
}

#[test]
fn the_right_form_is_shown() {
    for (input, expected) in [
        ("", "expected `static`"),
        ("pub JOBS for App = [a];", "expected `static`"),
        ("static for App = [a];", "expected the name of the registry"),
        ("static JOBS: App = [a];", "expected `for` and the application's type"),
        ("static JOBS for = [a];", "expected the application's type"),
        ("static JOBS for App [a];", "expected `=`"),
        ("static JOBS for App = (a);", "expected the list of jobs in brackets"),
        ("static JOBS for App = [a]", "expected `;` at the end"),
        ("static JOBS for App = [a]; static B for App = [b];", "one `registry!` is one static"),
        ("static JOBS for App = [];", "`JOBS` lists no job"),
        ("static JOBS for App = [a()];", "expected the path of a job"),
        ("static JOBS for App = [a b];", "expected the path of a job"),
        ("static JOBS for App = [\"a\", b];", "expected the path of a job"),
        ("static JOBS for App = [a,, b];", "nothing stands before this `,`"),
        ("static JOBS for App = [#[allow(x)] a];", "only `#[cfg(…)]`"),
    ] {
        assert_says(&refused(input), &[expected]);
        assert_eq!(refused(input).len(), 1, "{input}");
    }
}

#[test]
fn conditions_stay_with_their_job() {
    let input = "/// Docs\n pub(crate) static JOBS for crate::App = [a::one, #[cfg(x)] b::two,];";
    let text = expansion(registry::expand(tokens(input)));
    assert_eq!(text.matches("# [cfg (x)]").count(), 3, "alias, entry and assertion: {text}");
    assert_eq!(text.matches("b :: two").count(), 1, "a wrong path is one error: {text}");
}

#[test]
fn the_place_of_a_job_depends_on_the_conditions_before_it() {
    let text = expansion(registry::expand(tokens("static JOBS for App = [a, #[cfg(x)] b, c];")));
    assert!(text.contains("fresh (__JOBS , 1usize)"), "{text}");
    assert!(text.contains("fresh (__JOBS , < [()] > :: len (& [() , # [cfg (x)] () ,]))"), "{text}");
}
