// policies! {
//     /// Short waits for a lock.
//     pub policy contention = capped(base = "20ms", cap = "500ms", retries = 5).on(contention);
// }

const _: () = ::steadfast::__private::assert_retry_home(::core::module_path!());
#[doc(hidden)]
#[allow(dead_code, non_camel_case_types)]
enum only_one_policies_block_per_crate {}
/// Short waits for a lock.
///
///Waits 20 ms doubling to 500 ms, full jitter, 5 retries (6 attempts); the longest total wait is 620 ms. Retries `contention`.
#[allow(
    non_camel_case_types,
    missing_debug_implementations,
    missing_copy_implementations
)]
pub enum contention {}
#[allow(deprecated)]
impl ::steadfast::__private::NamedPolicy for contention {
    type Contention = ::steadfast::__private::Yes;
    type Ambiguous = ::steadfast::__private::No;
    const POLICY: ::steadfast::retry::Policy = ::steadfast::__private::capped(::steadfast::__private::Capped {
        name: "contention",
        base_ms: 20u64,
        cap_ms: 500u64,
        retries: 5u32,
        jitter: ::steadfast::retry::Jitter::Full,
        on: ::steadfast::__private::On::NONE
            .with(::steadfast::__private::Kind::Deadlock)
            .with(::steadfast::__private::Kind::LockTimeout)
            .with(::steadfast::__private::Kind::Serialization),
    });
}
#[allow(clippy::needless_update)]
const _: ::steadfast::__private::keys::Capped = ::steadfast::__private::keys::Capped {
    base: (),
    cap: (),
    retries: (),
    ..::steadfast::__private::keys::Capped::ALL
};
