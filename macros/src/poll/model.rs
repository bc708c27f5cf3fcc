//! A poll whose times, name and parameters hold together.

use std::time::Duration;

use syn::{FnArg, LitStr};

use super::parse::Args;
use crate::duration;
use crate::error::{Errors, err};
use crate::item_fn::ItemFn;
use crate::job::body::POLL;
use crate::job::model::{check_name, check_shape};
use crate::job::parameters::{self, Parameter};
use crate::options::Given;

/// The longest wait between two ticks: beyond that there are slots.
const MAX_EVERY: Duration = Duration::from_mins(1);
/// Beyond that nobody calls it a tick.
const MAX_TIMEOUT: Duration = Duration::from_mins(15);

/// What `expand` needs. Beside an error the values are stand-ins.
pub(crate) struct Poll {
    pub(crate) func: ItemFn,
    pub(crate) every: Duration,
    pub(crate) timeout: Duration,
    pub(crate) name: Option<LitStr>,
    pub(crate) parameters: Vec<Parameter>,
}

impl Poll {
    /// `None` for what cannot even stand beside a type of its name.
    pub(crate) fn new(args: Args, func: ItemFn, errors: &mut Errors) -> Option<Self> {
        check_shape(
            "poll",
            &func,
            "ticks",
            "its tick says when the next one is due and its failure that it may wait; write for example \
             `-> Result<Tick, MailError>`",
            errors,
        );
        POLL.check(&func, &args.allow, errors);
        let every = every(&args.every, &func, errors);
        let timeout = timeout(&args.timeout, &func, errors);
        if let Some(name) = &args.name {
            check_name("poll", name, errors);
        }
        let parameters = parameters::of_poll(&func, errors);
        let is_method = matches!(func.sig.inputs.first(), Some(FnArg::Receiver(_)));
        (!is_method).then(|| Self {
            func,
            every: every.unwrap_or(MAX_EVERY),
            timeout: timeout.unwrap_or(MAX_TIMEOUT),
            name: args.name,
            parameters,
        })
    }
}

fn every(given: &Given<LitStr>, func: &ItemFn, errors: &mut Errors) -> Option<Duration> {
    let literal = match given {
        Given::Value(literal) => literal,
        Given::Missing => {
            errors.push(err!(
                &func.sig.ident,
                "missing `every`; say how long to wait after an idle tick, for example `every = \"1s\"`"
            ));
            return None;
        }
        Given::Wrong => return None,
    };
    let every = errors.take(duration::parse(literal))?;
    if every.is_zero() {
        errors.push(err!(
            literal,
            "`every` is zero, so an idle poll would never rest; write the wait after an idle tick, for example `every = \"1s\"`"
        ));
        return None;
    }
    if every > MAX_EVERY {
        errors.push(err!(
            literal,
            "`every` is {}, and a poll waits at most 1 min; write a job, which has slots, for example `#[job(cron = \"*/5 * * * *\", \
             timeout = \"5m\")]`",
            duration::display(every)
        ));
        return None;
    }
    Some(every)
}

fn timeout(given: &Given<LitStr>, func: &ItemFn, errors: &mut Errors) -> Option<Duration> {
    let literal = match given {
        Given::Value(literal) => literal,
        Given::Missing => {
            errors.push(err!(
                &func.sig.ident,
                "missing `timeout`, and a tick that hangs would be the last; say how long one may take, for example `timeout = \"30s\"`"
            ));
            return None;
        }
        Given::Wrong => return None,
    };
    let timeout = errors.take(duration::parse(literal))?;
    if timeout.is_zero() {
        errors.push(err!(
            literal,
            "`timeout` is zero, so no tick could end; write the longest that one may take, for example `timeout = \"30s\"`"
        ));
        return None;
    }
    if timeout > MAX_TIMEOUT {
        errors.push(err!(
            literal,
            "`timeout` is {}, and a tick takes at most 15 min; take fewer items at once and return `Tick::More`, for example \
             `timeout = \"1m\"`",
            duration::display(timeout)
        ));
        return None;
    }
    Some(timeout)
}
