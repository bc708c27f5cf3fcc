// registry! {
//     pub static JOBS for App = [billing::close_expired_trials, mail::digest];
// }

#[doc(hidden)]
#[allow(non_camel_case_types)]
type __JOBS0 = billing::close_expired_trials;
#[doc(hidden)]
#[allow(non_camel_case_types)]
type __JOBS1 = mail::digest;
#[doc(hidden)]
#[allow(non_upper_case_globals)]
const __JOBS: &[::steadfast::jobs::Entry<App>] = &[
    ::steadfast::jobs::Entry::<App>::of::<__JOBS0>(),
    ::steadfast::jobs::Entry::<App>::of::<__JOBS1>(),
];
pub static JOBS: ::steadfast::Registry<
    App,
    <::steadfast::__private::Flag<
        { ::steadfast::__private::any_exclusive(__JOBS) },
    > as ::steadfast::__private::LeaseKind>::Kind,
> = {
    const _: () = ::steadfast::__private::fresh(__JOBS, 1usize);
    ::steadfast::Registry::new(__JOBS)
};
