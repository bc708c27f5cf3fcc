//! A job whose slots, timeout, name and parameters hold together.

use std::time::Duration;

use syn::{FnArg, LitStr, ReturnType};

use super::body::JOB;
use super::cron::Cron;
use super::parameters::{self, Parameter};
use super::parse::Args;
use crate::duration;
use crate::error::{Errors, err};
use crate::item_fn::ItemFn;
use crate::options::Given;
use crate::types;

/// Beyond that a lease has to be renewed.
const MAX_EXCLUSIVE: Duration = Duration::from_mins(15);
/// What a lease lasts beyond the timeout.
const LEASE_MARGIN: Duration = Duration::from_mins(1);

/// What `expand` needs. Beside an error the values are stand-ins.
pub(crate) struct Job {
    pub(crate) func: ItemFn,
    pub(crate) cron: Option<Cron>,
    pub(crate) timeout: Duration,
    pub(crate) exclusive: bool,
    pub(crate) heartbeat: bool,
    pub(crate) hand_back: bool,
    pub(crate) catch_up: Option<Duration>,
    pub(crate) splay: Duration,
    pub(crate) name: Option<LitStr>,
    pub(crate) parameters: Vec<Parameter>,
}

impl Job {
    /// `None` for what cannot even stand beside a type of its name.
    pub(crate) fn new(args: Args, func: ItemFn, errors: &mut Errors) -> Option<Self> {
        check_shape(
            "job",
            &func,
            "slot",
            "a failed run is healed by the next slot; write for example `-> Result<(), BillingError>`",
            errors,
        );
        JOB.check(&func, &args.allow, errors);
        let cron = cron(&args.cron, &func, errors);
        let timeout = timeout(&args, &func, errors);
        if let (Some(cron), Some(timeout), Given::Value(literal), false) = (&cron, timeout, &args.timeout, args.overlap)
        {
            check_overlap(cron, timeout, args.exclusive.is_some(), literal, errors);
        }
        if let Some(name) = &args.name {
            check_name("job", name, errors);
        }
        let parameters = parameters::parameters(&func, errors);
        if args.exclusive.is_none() {
            check_lease(&parameters, errors);
            for key in [&args.heartbeat, &args.hand_back].into_iter().flatten() {
                errors.push(err!(
                    key,
                    "`{key}` is about the lease of an exclusive job; add `exclusive`, or remove `{key}`"
                ));
            }
        }
        let gap = cron.as_ref().and_then(Cron::shortest_gap).map(|minutes| Duration::from_mins(minutes.into()));
        let catch_up =
            args.catch_up.as_ref().and_then(|literal| catch_up(literal, gap, args.exclusive.is_some(), errors));
        let splay = args.splay.as_ref().and_then(|literal| splay(literal, gap, errors));
        let is_method = matches!(func.sig.inputs.first(), Some(FnArg::Receiver(_)));
        (!is_method).then(|| Self {
            func,
            cron,
            timeout: timeout.unwrap_or(LEASE_MARGIN),
            exclusive: args.exclusive.is_some(),
            heartbeat: args.heartbeat.is_some(),
            hand_back: args.hand_back.is_some(),
            catch_up,
            splay: splay.unwrap_or_default(),
            name: args.name,
            parameters,
        })
    }
}

fn cron(given: &Given<LitStr>, func: &ItemFn, errors: &mut Errors) -> Option<Cron> {
    match given {
        Given::Value(literal) => match Cron::parse(&literal.value()) {
            Ok(cron) => Some(cron),
            Err(all) => {
                for error in all {
                    errors.push(err!(literal, "{}", error.message));
                }
                None
            }
        },
        Given::Missing => {
            errors.push(err!(
                &func.sig.ident,
                "missing `cron`; say when the job runs, for example `cron = \"0 3 * * *\"`"
            ));
            None
        }
        Given::Wrong => None,
    }
}

fn timeout(args: &Args, func: &ItemFn, errors: &mut Errors) -> Option<Duration> {
    let literal = match &args.timeout {
        Given::Value(literal) => literal,
        Given::Missing => {
            errors.push(err!(
                &func.sig.ident,
                "missing `timeout`; say how long a run may take, for example `timeout = \"5m\"`"
            ));
            return None;
        }
        Given::Wrong => return None,
    };
    let timeout = errors.take(duration::parse(literal))?;
    if timeout.is_zero() {
        errors.push(err!(literal, "`timeout` is zero, so no run could end; write the longest that a run may take, for example `timeout = \"5m\"`"));
        return None;
    }
    if args.exclusive.is_some() && args.heartbeat.is_none() && timeout > MAX_EXCLUSIVE {
        errors.push(err!(
            literal,
            "an exclusive job's timeout is at most 15 minutes, another replica waits as long after a crash; add `heartbeat`, whose \
             lease lasts 3 minutes and is renewed, or split the work over slots, for example `timeout = \"15m\"`"
        ));
        return None;
    }
    Some(timeout)
}

fn check_overlap(cron: &Cron, timeout: Duration, exclusive: bool, literal: &LitStr, errors: &mut Errors) {
    let Some(gap) = cron.shortest_gap().map(|minutes| Duration::from_mins(minutes.into())) else { return };
    let margin = if exclusive { LEASE_MARGIN } else { Duration::ZERO };
    if timeout + margin <= gap {
        return;
    }
    let held = if exclusive { "its lease, `timeout` and one minute," } else { "its `timeout`" };
    let shorter = match gap.saturating_sub(margin) {
        Duration::ZERO => String::new(),
        longest => format!(", or lower `timeout` to {}", duration::display(longest)),
    };
    errors.push(err!(
        literal,
        "`overlap = skip` is needed: {held} is {}, longer than the {} between two slots, so a slot may find the one before still \
         running; add `overlap = skip` to skip it{shorter}",
        duration::display(timeout + margin),
        duration::display(gap),
    ));
}

fn catch_up(literal: &LitStr, gap: Option<Duration>, exclusive: bool, errors: &mut Errors) -> Option<Duration> {
    if !exclusive {
        errors.push(err!(
            literal,
            "`catch_up` needs a row that says what has run, which only an exclusive job has, or it would run again at every start; \
             add `exclusive`, or remove `catch_up`"
        ));
        return None;
    }
    let limit = errors.take(duration::parse(literal))?;
    if limit < Duration::from_mins(1) {
        errors.push(err!(
            literal,
            "`catch_up` is shorter than a minute, so nothing is ever caught up; write for example `catch_up = \"12h\"`"
        ));
        return None;
    }
    if let Some(gap) = gap.filter(|gap| limit > *gap) {
        errors.push(err!(
            literal,
            "`catch_up` is {}, longer than the {} between two slots, and only the latest one is caught up; write at most that",
            duration::display(limit),
            duration::display(gap),
        ));
        return None;
    }
    Some(limit)
}

fn splay(literal: &LitStr, gap: Option<Duration>, errors: &mut Errors) -> Option<Duration> {
    let splay = errors.take(duration::parse(literal))?;
    if splay.is_zero() {
        errors.push(err!(
            literal,
            "`splay` is zero and spreads nothing; remove it, or write for example `splay = \"30s\"`"
        ));
        return None;
    }
    if let Some(gap) = gap.filter(|gap| splay >= *gap) {
        errors.push(err!(
            literal,
            "`splay` is {}, not shorter than the {} between two slots, so a start could fall behind the next slot; write less, for \
             example `splay = \"30s\"`",
            duration::display(splay),
            duration::display(gap),
        ));
        return None;
    }
    Some(splay)
}

fn check_lease(parameters: &[Parameter], errors: &mut Errors) {
    for parameter in parameters {
        if let Parameter::Lease(ty) = parameter {
            errors.push(err!(
                ty,
                "only an exclusive job holds a lease; add `exclusive`, for example `#[job(cron = \"0 3 * * *\", exclusive, timeout = \
                 \"5m\")]`, or remove the parameter"
            ));
        }
    }
}

/// What the function of a job or a poll must be: a free `async fn` without generic parameters, nobody names them at its `time`, that returns
/// a `Result`, for the reason in `result`.
pub(crate) fn check_shape(of: &str, func: &ItemFn, time: &str, result: &str, errors: &mut Errors) {
    let sig = &func.sig;
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        errors.push(err!(
            receiver,
            "a {of} is a free function; take what `self` holds as a parameter, for example `db: &SqlitePool`"
        ));
    }
    if sig.asyncness.is_none() {
        errors.push(err!(&sig.fn_token, "a {of} is an `async fn`; write `async fn`"));
    }
    if sig.generics.type_params().next().is_some() || sig.generics.const_params().next().is_some() {
        errors.push(err!(
            &sig.generics,
            "a {of} has no generic parameters, nobody names them at its {time}; name the types"
        ));
    }
    let message = format!("a {of} returns a `Result`, {result}");
    match &sig.output {
        ReturnType::Default => errors.push(err!(&sig.ident, "{message}")),
        ReturnType::Type(_, ty) if types::may_be_result(ty) || sig.asyncness.is_none() => {}
        ReturnType::Type(_, ty) => errors.push(err!(ty, "{message}")),
    }
}

/// `^[a-z0-9][a-z0-9._-]{0,63}$`: the key of the lease row and a label of metrics.
pub(crate) fn check_name(of: &str, name: &LitStr, errors: &mut Errors) {
    let text = name.value();
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let fits = text.bytes().all(|byte| plain(byte) || b"._-".contains(&byte)) && text.bytes().next().is_some_and(plain);
    if !fits || text.len() > 64 {
        let shown: String = text.chars().take(64).collect();
        let shown = if shown.is_empty() { "an empty text".to_owned() } else { format!("`{}`", shown.escape_debug()) };
        errors.push(err!(
            name,
            "{shown} is no name for a {of}; write 1 to 64 of `a-z`, `0-9`, `.`, `_`, `-`, the first a letter or digit, for example \
             `name = \"billing.close-expired-trials\"`"
        ));
    }
}
