//! The keys of the macros, for editors: an expansion writes the keys of its invocation as fields of one of these structs, so that an
//! editor shows the field's text at the key, and offers the fields where a key is being typed. The sentences are those of the
//! macros' own `# Options`, shortened.

macro_rules! keys {
    ($($(#[$of:meta])* $name:ident { $($(#[$doc:meta])+ $key:ident,)+ })+) => {
        $(
            $(#[$of])*
            #[derive(Debug)]
            pub struct $name {
                $($(#[$doc])+ pub $key: (),)+
            }

            impl $name {
                /// The keys that an invocation leaves out.
                pub const ALL: Self = Self { $($key: (),)+ };
            }
        )+
    };
}

keys! {
    /// `#[atomic_unit(…)]`
    AtomicUnit {
        /// `retry = NAME`: the policy by which the unit is replayed as a whole. A bare name means `crate::retry::NAME`; `never` says that
        /// it is not replayed. Required.
        retry,
        /// `pool = EXPR`: where the pool is, for example `self.db`; the transaction is then no parameter for the caller.
        pool,
        /// `idempotent = read | set_state | client_id(PARAM) | receipt(PARAM)`: why a replay after a lost connection is harmless.
        idempotent,
        /// `in_doubt = fail | resolve`: what becomes of a unit whose COMMIT was sent and never answered.
        in_doubt,
        /// `fence = PARAM`: the parameter `&Lease`; the unit commits only while the job's run holds its lease.
        fence,
        /// `isolation = repeatable_read | serializable`: left out, the level is the connection's own.
        isolation,
        /// `read_only`: the database refuses writes.
        read_only,
        /// `begin = deferred | immediate | exclusive`: how SQLite begins; `immediate` by default.
        begin,
        /// `attempt_timeout = "2s"`: bounds each attempt; never retried.
        attempt_timeout,
        /// `allow(retry)`, `allow(sleep)`, `allow(spawn)`: the body's `.retry(…)`, its loop that sleeps, or what it spawns is its own.
        allow,
    }

    /// `#[provider_call(…)]`
    ProviderCall {
        /// `retry = NAME`: the policy by which the call is repeated. Required.
        retry,
        /// `idempotent = read | set_state | client_id(PARAM)`: why a repeat is harmless.
        idempotent,
        /// `allow(retry)`, `allow(sleep)`, `allow(spawn)`: the body's `.retry(…)`, its loop that sleeps, or what it spawns is its own.
        allow,
    }

    /// `#[job(…)]`
    Job {
        /// `cron = "0 3 * * *"`: five fields in UTC, weekdays by name. Required.
        cron,
        /// `timeout = "5m"`: the longest that a run may take. Required.
        timeout,
        /// `exclusive`: one replica runs a slot, under a lease.
        exclusive,
        /// `name = "billing.close-expired-trials"`: the key of the lease and the label of metrics.
        name,
        /// `overlap = skip`: a slot that finds the run before it still going on is skipped.
        overlap,
        /// `heartbeat`: the lease lasts 3 minutes and is renewed every minute.
        heartbeat,
        /// `on_shutdown = hand_back`: a run that the shutdown cuts off gives its slot to another replica.
        on_shutdown,
        /// `catch_up = "12h"`: the latest slot that was missed within that time is run once at the start.
        catch_up,
        /// `splay = "30s"`: the start is moved behind the slot by less than this, by the job's name.
        splay,
        /// `allow(clock)`: a read of the wall clock in the body does not decide what the job works on. `allow(retry)`, `allow(sleep)`:
        /// the body's `.retry(…)`, its loop that sleeps or its ticker is no retry.
        allow,
    }

    /// `#[poll(…)]`
    Poll {
        /// `every = "1s"`: the wait after an idle tick. Required.
        every,
        /// `timeout = "30s"`: the longest that a tick may take. Required.
        timeout,
        /// `name = "mail.relay"`: the label of metrics.
        name,
        /// `allow(clock)`, `allow(retry)`, `allow(sleep)`: what the body does with a clock, a `.retry(…)` or a ticker is its own.
        allow,
    }

    /// `capped(…)` in `policies!`
    Capped {
        /// `base = "50ms"`: the delay after the first attempt; it doubles. Required.
        base,
        /// `cap = "200ms"`: the longest single delay, jitter included. Required.
        cap,
        /// `retries = 3`: how often the work is tried again, 1 to 10 times. Required.
        retries,
        /// `jitter = full | equal | decorrelated | proportional`: how a delay is drawn; `full` by default.
        jitter,
    }

    /// `.budget(…)` in `policies!`
    Budget {
        /// `ratio = 0.1`: the retries that each call earns for all callers in this process.
        ratio,
        /// `min_per_second = 1`: the retries that are free in each second.
        min_per_second,
    }

    /// `durable(…)` in `policies!`
    Durable {
        /// `base = "1s"`: the delay after the first attempt; it doubles. Required.
        base,
        /// `cap = "1h"`: the longest single delay. Required.
        cap,
        /// `attempts = 20`: how often the work is tried in all. Required.
        attempts,
    }

    /// `exponential(…)` and `fibonacci(…)` in `policies!`
    Growing {
        /// `base = "100ms"`: the first delay. Required.
        base,
        /// `cap = "10s"`: the longest delay. Required.
        cap,
    }
}
