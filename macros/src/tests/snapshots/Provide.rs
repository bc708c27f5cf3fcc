// #[derive(Provide)]
// pub struct App {
//     db: SqlitePool,
//     mailer: Arc<dyn Mailer>,
//     #[provide(skip)]
//     archive: SqlitePool,
// }

#[automatically_derived]
impl ::steadfast::__private::Provide<SqlitePool> for App {
    fn provide(&self) -> &SqlitePool {
        &self.db
    }
}
#[automatically_derived]
impl ::steadfast::__private::Provide<Arc<dyn Mailer>> for App {
    fn provide(&self) -> &Arc<dyn Mailer> {
        &self.mailer
    }
}
#[automatically_derived]
impl ::steadfast::__private::Provide<(dyn Mailer + 'static)> for App {
    fn provide(&self) -> &(dyn Mailer + 'static) {
        &*self.mailer
    }
}
