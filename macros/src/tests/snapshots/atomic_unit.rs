// #[atomic_unit(retry = contention)]
// pub async fn close(tx: &mut Tx<'_>, trial: i64, by: &str) -> Result<(), BillingError> {
//     trials::close(tx, trial, by).await
// }

pub async fn close(
    pool: &<Tx<'static> as ::steadfast::__private::Transactional>::Pool,
    trial: i64,
    by: &str,
) -> Result<(), BillingError> {
    #[allow(clippy::needless_update)]
    const _: ::steadfast::__private::keys::AtomicUnit = ::steadfast::__private::keys::AtomicUnit {
        retry: (),
        ..::steadfast::__private::keys::AtomicUnit::ALL
    };
    #[allow(unused_qualifications, clippy::absolute_paths)]
    type __Policy = crate::retry::contention;
    const __UNIT: &::steadfast::__private::Declaration = {
        #[allow(non_camel_case_types)]
        enum close {}
        impl ::steadfast::__private::Declared for close {
            #[allow(clippy::needless_update)]
            const KNOWN: ::steadfast::__private::Known = ::steadfast::__private::Known {
                name: ::core::concat!(::core::module_path!(), "::close"),
                settings: ::steadfast::__private::Settings {
                    answer: ::steadfast::__private::Answer::None,
                    ..::steadfast::__private::Settings::NONE
                },
            };
        }
        ::steadfast::__private::unit_declaration::<__Policy, close>()
    };
    let mut __unit = ::steadfast::__private::unit::<
        <Result<(), BillingError> as ::steadfast::__private::IsResult>::Err,
    >(__UNIT);
    loop {
        let mut __checkout = <Tx<
            'static,
        > as ::steadfast::__private::Transactional>::checkout();
        let __ended = match __unit.open(&mut __checkout, pool).await {
            ::core::result::Result::Ok(mut __open) => {
                #[allow(clippy::shadow_reuse, clippy::used_underscore_binding)]
                let trial = ::steadfast::__private::replay(&trial);
                #[allow(unused_braces)]
                let __result = __unit
                    .body(async {
                        let tx = &mut __open.tx();
                        #[allow(
                            unreachable_code,
                            unused,
                            clippy::all,
                            clippy::pedantic,
                            clippy::nursery,
                            clippy::restriction
                        )]
                        if false {
                            let __ret: Result<(), BillingError> = loop {};
                            return __ret;
                        }
                        { trials::close(tx, trial, by).await }
                    })
                    .await
                    .map(
                        <Result<
                            (),
                            BillingError,
                        > as ::steadfast::__private::IsResult>::into_result,
                    );
                __unit.finish(__open, __result).await
            }
            ::core::result::Result::Err(__refused) => __unit.refused(__refused),
        };
        match __unit.next(__ended, __checkout, pool).await {
            ::core::ops::ControlFlow::Break(__done) => {
                break <Result<
                    (),
                    BillingError,
                > as ::steadfast::__private::IsResult>::from_result(__done);
            }
            ::core::ops::ControlFlow::Continue(()) => {}
        }
    }
}
