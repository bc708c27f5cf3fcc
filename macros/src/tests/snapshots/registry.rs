// registry! {
//     pub static JOBS for App = [billing::close_expired_trials, mail::digest];
// }

#[doc(hidden)]
#[allow(non_camel_case_types)]
type __JOBS0 = billing::close_expired_trials;
#[doc(hidden)]
#[allow(non_camel_case_types)]
type __JOBS1 = mail::digest;
pub static JOBS: ::steadfast::Registry<
    App,
    <::steadfast::__private::Flag<
        {
            ::steadfast::__private::any(
                &[
                    ::steadfast::jobs::Entry::<App>::of::<__JOBS0>().is_exclusive(),
                    ::steadfast::jobs::Entry::<App>::of::<__JOBS1>().is_exclusive(),
                ],
            )
        },
    > as ::steadfast::__private::LeaseKind>::Kind,
> = {
    const __NAMES: &[&::core::primitive::str] = &[
        ::steadfast::jobs::Entry::<App>::of::<__JOBS0>().name(),
        ::steadfast::jobs::Entry::<App>::of::<__JOBS1>().name(),
    ];
    const _: () = ::steadfast::__private::fresh(__NAMES, 1usize);
    ::steadfast::Registry::new(
        &[
            ::steadfast::jobs::Entry::<App>::of::<__JOBS0>(),
            ::steadfast::jobs::Entry::<App>::of::<__JOBS1>(),
        ],
    )
};
