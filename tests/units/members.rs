//! What the suite of sea-orm works with: an entity, and the errors of its units.

use sea_orm::{DbErr, entity::prelude::*};
use steadfast::{Classify, UnitFailure};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "members")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub id: i32,
    #[sea_orm(unique)]
    pub name: String,
    pub n: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, thiserror::Error, Classify)]
pub(crate) enum Error {
    #[error("the application says no")]
    Domain,
    #[error(transparent)]
    #[classify(transparent)]
    Orm(#[from] DbErr),
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}
