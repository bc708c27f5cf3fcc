// #[poll(every = "1s", timeout = "30s")]
// pub async fn relay(db: &SqlitePool) -> Result<Tick, RelayError> {
//     relay_one(db).await
// }

pub async fn relay(db: &SqlitePool) -> Result<Tick, RelayError> {
    relay_one(db).await
}
#[allow(clippy::needless_update)]
const _: ::steadfast::__private::keys::Poll = ::steadfast::__private::keys::Poll {
    every: (),
    timeout: (),
    ..::steadfast::__private::keys::Poll::ALL
};
#[doc(hidden)]
#[allow(non_camel_case_types, unreachable_pub)]
pub struct relay {}
#[allow(deprecated, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
impl<__App> ::steadfast::__private::Poll<__App> for relay
where
    __App: ::steadfast::__private::MaybeSync
        + ::steadfast::__private::Provide<SqlitePool>,
{
    const META: ::steadfast::__private::PollMeta = ::steadfast::__private::PollMeta {
        name: {
            const LEN: usize = ::steadfast::__private::name_len(
                ::core::module_path!(),
                "relay",
            );
            ::steadfast::__private::str_of(
                &const {
                    ::steadfast::__private::name_bytes::<
                        LEN,
                    >(::core::module_path!(), "relay")
                },
            )
        },
        every: ::core::time::Duration::from_millis(1000u64),
        timeout: ::core::time::Duration::from_millis(30000u64),
    };
    async fn tick(
        __clock: &::steadfast::__private::JobClock,
        __app: &__App,
    ) -> ::core::result::Result<
        ::steadfast::__private::Tick,
        ::steadfast::__private::JobError,
    > {
        let __result = relay(
                ::steadfast::__private::Provide::<SqlitePool>::provide(__app),
            )
            .await;
        let __answer = ::steadfast::__private::failed(__result);
        ::steadfast::__private::ticked(__answer)
    }
}
impl<__App> ::steadfast::__private::Listed<__App> for relay
where
    relay: ::steadfast::__private::Poll<__App>,
{
    const ENTRY: ::steadfast::__private::Entry<__App> = ::steadfast::__private::Entry::poll::<
        relay,
    >();
}
