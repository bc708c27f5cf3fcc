//! `#[repository]`

use super::{assert_says, checked, expansion, tokens};
use crate::repository::expand as expand_repository;

#[test]
fn repositories() {
    let says = |item: &str, parts: &[&str]| {
        let messages = checked(expand_repository(tokens(""), tokens(item)));
        assert_says(&messages, parts);
    };
    says("impl R { #[atomic_unit(retry = a)] async fn f(tx: &mut Tx<'_>) {} }", &["move `#[atomic_unit]`"]);
    says("impl R { #[cfg_attr(x, provider_call(retry = a))] async fn f(tx: &mut Tx<'_>) {} }", &["`#[provider_call]`"]);
    says("impl R { async fn f(tx: &mut Tx<'_>, p: &PgPool) {} }", &["a pool is outside of it"]);
    says("impl R { async fn f(db: &DatabaseExecutor<'_>) {} }", &["a pool is outside of it"]);
    says("impl R { async fn f(&self, tx: &mut Tx<'_>) { self.db.begin().await } }", &["`.begin(…)`"]);
    says("impl R { async fn f(&self, tx: &mut Tx<'_>) { self.db.acquire().await } }", &["`.acquire(…)`"]);
    says("impl R { async fn f(&self, tx: &mut Tx<'_>) { q.retry(p).await } }", &["a repository never retries"]);
    says("impl R { async fn f(&self, tx: &mut Tx<'_>) { loop { sleep(d).await } } }", &["a loop that sleeps"]);
    says(
        "impl R { async fn f(&self, tx: &mut Tx<'_>) { let t = interval(d); } }",
        &["inside of somebody's transaction"],
    );
    says("impl R { async fn f(&self, id: i64) {} }", &["`f` takes no transaction"]);
    says("impl R { fn f(&self, id: i64) {} }", &["nothing here takes a transaction"]);
    says("impl R { const N: u8 = 3; }", &["nothing here takes a transaction"]);
    says("struct R;", &["stands on an `impl` block or a function"]);
    for fine in [
        "impl<T> R<T> { const N: [u8; 2] = [1; 2]; type X = Y; fn new() -> Self { Self {} } async fn f(&self, tx: &mut Tx<'_>) {} }",
        "impl R { async fn f(&self, db: impl SqliteExecutor<'_>) {} }",
        "impl R { async fn f(&self, db: &impl ConnectionTrait) {} async fn g(&self, db: &steadfast::sqlite::Orm<'_>) {} }",
        "pub(crate) async fn f<'e, E: sqlx::Executor<'e>>(db: E) -> Result<(), X> { g() }",
        "#[async_trait] impl Trials for R { fn f<'a>(&'a self, tx: &'a mut Tx<'_>) -> Pin<Box<dyn Future>> { g() } }",
        "trait Trials { async fn f(&self, tx: &mut Tx<'_>); }",
    ] {
        assert_eq!(expansion(expand_repository(tokens(""), tokens(fine))), tokens(fine).to_string());
    }
    let allowed = "impl R { async fn f(&self, tx: &mut Tx<'_>) { q.retry(p).await } }";
    expansion(expand_repository(tokens("allow(retry)"), tokens(allowed)));
}
