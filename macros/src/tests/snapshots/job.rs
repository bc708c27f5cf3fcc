// #[job(cron = "0 3 * * *", timeout = "5m", exclusive)]
// pub async fn close_expired_trials(slot: Slot, db: &SqlitePool) -> Result<(), BillingError> {
//     close_all(db, slot).await
// }

pub async fn close_expired_trials(
    slot: Slot,
    db: &SqlitePool,
) -> Result<(), BillingError> {
    close_all(db, slot).await
}
#[allow(clippy::needless_update)]
const _: ::steadfast::__private::keys::Job = ::steadfast::__private::keys::Job {
    cron: (),
    timeout: (),
    exclusive: (),
    ..::steadfast::__private::keys::Job::ALL
};
#[doc(hidden)]
#[allow(non_camel_case_types, unreachable_pub)]
pub struct close_expired_trials {}
impl ::steadfast::__private::JobMeta for close_expired_trials {
    const META: ::steadfast::__private::Meta = ::steadfast::__private::Meta {
        name: {
            const LEN: usize = ::steadfast::__private::name_len(
                ::core::module_path!(),
                "close_expired_trials",
            );
            ::steadfast::__private::str_of(
                &const {
                    ::steadfast::__private::name_bytes::<
                        LEN,
                    >(::core::module_path!(), "close_expired_trials")
                },
            )
        },
        cron: ::steadfast::Cron::from_masks(1u64, 8u32, 4294967294u32, 8190u16, 127u8),
        cron_text: "0 3 * * *",
        exclusive: true,
        timeout: ::core::time::Duration::from_millis(300000u64),
        lease: ::steadfast::__private::LeaseMode::new(false, false),
        catch_up: ::core::option::Option::None,
        splay: ::core::time::Duration::from_millis(0u64),
        lease_in: ::core::option::Option::None,
    };
}
impl<__App> ::steadfast::__private::Listed<__App> for close_expired_trials
where
    close_expired_trials: ::steadfast::__private::Job<__App>,
{
    const ENTRY: ::steadfast::__private::Entry<__App> = ::steadfast::__private::Entry::job::<
        close_expired_trials,
    >();
}
#[allow(deprecated, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
impl<__App> ::steadfast::__private::Job<__App> for close_expired_trials
where
    __App: ::steadfast::__private::MaybeSync
        + ::steadfast::__private::Provide<SqlitePool>,
{
    async fn run(
        __run: ::steadfast::__private::Run<'_>,
        __app: &__App,
    ) -> ::core::result::Result<(), ::steadfast::__private::JobError> {
        let __result = close_expired_trials(
                __run.slot(),
                ::steadfast::__private::Provide::<SqlitePool>::provide(__app),
            )
            .await;
        ::steadfast::__private::ended(__result)
    }
}
