//! `#[derive(Provide)]`

use std::sync::Arc;

use steadfast::{Provide, jobs};
use steadfast_tests::shop::Mailer;

trait Mail: Send + Sync {
    fn sent(&self) -> u32;
}

impl Mail for Mailer {
    fn sent(&self) -> u32 {
        3
    }
}

struct Archive(Vec<u8>);

// twin of: provide_one_type_twice, provide_form
#[derive(Provide)]
struct App {
    live: Vec<u8>,
    archive: Archive,
    mail: Arc<dyn Mail>,
    #[provide(skip)]
    spare: Vec<u8>,
}

#[test]
fn fields_are_lent_by_their_types() {
    let app = App { live: vec![1], archive: Archive(vec![2]), mail: Arc::new(Mailer), spare: vec![4] };
    assert_eq!(jobs::Provide::<Vec<u8>>::provide(&app), &[1]);
    assert_eq!(jobs::Provide::<Archive>::provide(&app).0, [2]);
    assert_eq!(jobs::Provide::<dyn Mail>::provide(&app).sent(), 3);
    assert_eq!(jobs::Provide::<Arc<dyn Mail>>::provide(&app).sent(), 3);
    assert_eq!(app.spare, [4]);
}
