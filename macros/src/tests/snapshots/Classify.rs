// #[derive(Classify)]
// pub enum BillingError {
//     Closed,
//     #[classify(rate_limited, retry_after = wait)]
//     Busy { wait: Duration },
//     #[classify(transparent)]
//     Db(sqlx::Error),
// }

#[automatically_derived]
#[allow(deprecated)]
impl ::steadfast::__private::Classify for BillingError {
    fn failure(&self) -> ::core::option::Option<::steadfast::__private::Failure> {
        match self {
            Self::Closed { .. } => ::core::option::Option::None,
            Self::Busy { wait: __inner, .. } => {
                ::core::option::Option::Some(
                    match <Duration as ::steadfast::__private::RetryAfter>::retry_after(
                        __inner,
                    ) {
                        ::core::option::Option::Some(__wait) => {
                            ::steadfast::__private::Failure::of(
                                    ::steadfast::__private::Kind::RateLimited,
                                )
                                .with_retry_after(__wait)
                        }
                        ::core::option::Option::None => {
                            ::steadfast::__private::Failure::of(
                                ::steadfast::__private::Kind::RateLimited,
                            )
                        }
                    },
                )
            }
            Self::Db { 0: __inner } => {
                <sqlx::Error as ::steadfast::__private::Classify>::failure(__inner)
            }
        }
    }
}
