//! Bodies that somebody is in the middle of writing.

use proc_macro2::{Group, TokenStream, TokenTree};

use crate::scan;

const BODY: &str = "\
#[cfg(test)] mod tests { } let mut now: Time = Utc::now(); *self.last_run.lock().unwrap() = Some(now);
let since = mem::replace(&mut *last_run, clock.now()); LAST_TICK.store(slot.unix_seconds(), Relaxed);
while let Row { id } = next() { sleep(d).await; client.post(url) } for _ in 0..3 { t.tick().await } impl A for B { }
(|| client.patch(url)).retry::<P>(backon::X::default()); Retry::spawn(d, || f()); retry::delay::{Fixed, jitter};
retry::retry(d, f); tokio::time::interval(d); Timer::after(d); loop { select! { _ = t.tick() => pass() } } fn f() { }
macro_rules! m { ($x:expr) => { loop { sleep($x) } }; } tower::retry; JobScheduler::new(); policies! { } pool.begin()";

/// The stream with its last token left out, at each depth: all prefixes, one after another.
fn prefixes(stream: TokenStream, see: &mut dyn FnMut(TokenStream)) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    for end in 0..=tokens.len() {
        see(tokens[..end].iter().cloned().collect());
        see(tokens[end..].iter().cloned().collect());
        if let Some(TokenTree::Group(group)) = tokens.get(end) {
            prefixes(group.stream(), &mut |inner| {
                let group = TokenTree::Group(Group::new(group.delimiter(), inner));
                see(tokens[..end].iter().cloned().chain([group]).collect());
            });
        }
    }
}

#[test]
fn nothing_half_typed_panics() {
    let mut seen = 0;
    prefixes(BODY.parse().expect("tokens"), &mut |body| {
        seen += 1;
        drop(scan(body));
    });
    assert!(seen > 500, "{seen}");
    assert!(scan(BODY.parse().expect("tokens")).len() > 15);
}
