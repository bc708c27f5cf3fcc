// #[provider_call(retry = provider, idempotent = client_id(key))]
// pub async fn charge(key: &str, amount: u64) -> Result<Receipt, PaymentError> {
//     post(key, amount).await
// }

pub async fn charge(key: &str, amount: u64) -> Result<Receipt, PaymentError> {
    #[allow(clippy::needless_update)]
    const _: ::steadfast::__private::keys::ProviderCall = ::steadfast::__private::keys::ProviderCall {
        retry: (),
        idempotent: (),
        ..::steadfast::__private::keys::ProviderCall::ALL
    };
    #[allow(unused_qualifications, clippy::absolute_paths)]
    type __Policy = crate::retry::provider;
    const __CALL: &::steadfast::__private::Declaration = {
        #[allow(non_camel_case_types)]
        enum charge {}
        impl ::steadfast::__private::Declared for charge {
            #[allow(clippy::needless_update)]
            const KNOWN: ::steadfast::__private::Known = ::steadfast::__private::Known {
                name: ::core::concat!(::core::module_path!(), "::charge"),
                settings: ::steadfast::__private::Settings {
                    answer: ::steadfast::__private::Answer::Idempotent,
                    ..::steadfast::__private::Settings::NONE
                },
            };
        }
        impl ::steadfast::__private::Answered for charge {}
        ::steadfast::__private::call_declaration::<__Policy, charge>()
    };
    let mut __call = ::steadfast::__private::call();
    if let ::core::option::Option::Some(__nested) = __call
        .refused(
            __CALL,
            ::steadfast::__private::error_fns::<
                <Result<Receipt, PaymentError> as ::steadfast::__private::IsResult>::Err,
            >(),
        )
    {
        let __refused = ::core::result::Result::Err(__nested);
        return <Result<
            Receipt,
            PaymentError,
        > as ::steadfast::__private::IsResult>::from_result(__refused);
    }
    loop {
        #[allow(clippy::shadow_reuse, clippy::used_underscore_binding)]
        let amount = ::steadfast::__private::replay(&amount);
        #[allow(unused_braces)]
        let __result = __call
            .body(async {
                #[allow(
                    unreachable_code,
                    unused,
                    clippy::all,
                    clippy::pedantic,
                    clippy::nursery,
                    clippy::restriction
                )]
                if false {
                    let __ret: Result<Receipt, PaymentError> = loop {};
                    return __ret;
                }
                { post(key, amount).await }
            })
            .await;
        if let ::core::ops::ControlFlow::Break(__done) = __call
            .next(
                __CALL,
                ::steadfast::__private::error_fns::<
                    <Result<
                        Receipt,
                        PaymentError,
                    > as ::steadfast::__private::IsResult>::Err,
                >(),
                <Result<
                    Receipt,
                    PaymentError,
                > as ::steadfast::__private::IsResult>::into_result(__result),
            )
        {
            break <Result<
                Receipt,
                PaymentError,
            > as ::steadfast::__private::IsResult>::from_result(__done);
        }
        __call.wait().await;
    }
}
