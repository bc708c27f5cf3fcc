// #[repository]
// pub async fn close(tx: &mut Tx<'_>, trial: i64) -> Result<(), sqlx::Error> {
//     query(trial).execute(tx).await
// }

pub async fn close(tx: &mut Tx<'_>, trial: i64) -> Result<(), sqlx::Error> {
    query(trial).execute(tx).await
}
