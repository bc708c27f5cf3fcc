//! `Classify` and `Provide`

use super::{assert_says, checked, expansion, tokens};
use crate::{classify::expand as expand_classify, provide::expand as expand_provide};

fn classify(input: &str) -> Vec<String> {
    checked(expand_classify(tokens(input)))
}

fn provide(input: &str) -> Vec<String> {
    checked(expand_provide(tokens(input)))
}

#[test]
fn a_variant_that_wraps_says_what_it_is() {
    for wraps in ["A(#[from] X)", "A { #[source] x: X }", "A { source: X }", "#[error(transparent)] A(X)"] {
        assert_says(
            &classify(&format!("enum E {{ {wraps} }}")),
            &["`A` wraps another error", "`#[classify(transparent)]`"],
        );
        assert!(classify(&format!("enum E {{ #[classify(domain)] {wraps} }}")).is_empty());
    }
    assert!(classify("enum E { A(X), B { x: X }, C }").is_empty());
}

#[test]
fn words_of_classify() {
    let says = |variant: &str, parts: &[&str]| assert_says(&classify(&format!("enum E {{ {variant} }}")), parts);
    says("#[classify(transparent)] A(X, Y)", &["the only field of `A`, which has 2"]);
    says("#[classify(with = f)] A", &["the only field of `A`, which has 0"]);
    says("#[classify(with)] A(X)", &["`with` takes a value"]);
    says("#[classify(transparent, domain)] A(X)", &["exclude each other"]);
    says("#[classify(rate_limited, retry_after = wat)] A { wait: D }", &["`A` has no field `wat`; it has `wait`"]);
    says("#[classify(unavailable, retry_after = 1)] A(D)", &["`A` has no field `1`; it has `0`"]);
    says("#[classify(unavailable, retry_after = x)] A", &["it has none"]);
    says("#[classify(domain, retry_after = 0)] A(D)", &["not to `domain`"]);
    says("#[classify(retry_after = 0)] A(D)", &["belongs to `rate_limited` or `unavailable`"]);
    says("#[classify(contention)] A(D)", &["contention is what a database reports"]);
    says("#[classify(transparant)] A(D)", &["did you mean `transparent`"]);
    says("#[classify] A", &["says what the variant is"]);
    says("#[classify()] A", &["says what the variant is"]);
    says("#[classify(domain)] #[classify(domain)] A", &["is given twice"]);
    says("A(#[classify(transparent)] X)", &["stands on the variant, not on its field"]);
    assert_says(&classify("#[classify(domain)] enum E { A }"), &["stands on the variants"]);
    assert_says(&classify("union E { a: u8 }"), &["an enum or a struct"]);
}

#[test]
fn every_kind_of_case_has_an_arm() {
    let text = expansion(expand_classify(tokens(
        "enum E<T> { A, #[classify(transparent)] B(T), #[classify(with = a::b)] C { x: X }, #[cfg(x)] #[classify(rate_limited)] D(u8), \
         #[classify(unavailable, retry_after = after)] F { after: D, x: u8 } }",
    )));
    for part in
        ["Self :: A { .. } =>", "T : :: steadfast", "a :: b (__inner)", "# [cfg (x)] Self :: D", "with_retry_after"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(expansion(expand_classify(tokens("enum Empty {}"))).contains("match * self"));
    assert!(
        expansion(expand_classify(tokens("#[classify(transparent)] struct S(X);"))).contains("Self { 0 : __inner }")
    );
}

#[test]
fn fields_are_told_apart_by_their_types() {
    assert_says(&provide("struct A { a: Db, b: Db }"), &["two fields provide `Db`", "`#[provide(skip)]`"]);
    assert!(provide("struct A { a: Db, #[provide(skip)] b: Db }").is_empty());
    assert!(provide("struct A { #[cfg(x)] a: Db, #[cfg(not(x))] b: Db }").is_empty());
    assert_says(&provide("struct A { a: Arc<dyn M>, b: Box<dyn M> }"), &["two fields provide `dyn M`"]);
    assert_says(&provide("struct A { #[provide(skp)] b: Db }"), &["write `#[provide(skip)]`"]);
    assert_says(&provide("struct A { #[provide] b: Db }"), &["write `#[provide(skip)]`"]);
    assert_says(&provide("enum A { B }"), &["derived for a struct", "make this one a struct"]);
    let text = expansion(expand_provide(tokens("struct A<T>(Db, std::sync::Arc<dyn M + Send>) where T: X;")));
    for part in
        ["Provide < Db > for A < T > where T : X", "& self . 0", "Provide < (dyn M + Send + 'static) >", "& * self . 1"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}
