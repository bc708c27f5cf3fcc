//! The Worker: what Cloudflare calls, and where its lines go.

use std::io;

use steadfast::{Jobs, jobs::Leased, worker::D1Leases};
use worker::Env;

use crate::{App, JOBS, store::D1Trials};

async fn jobs(env: Env) -> worker::Result<Jobs<App, Leased>> {
    listen();
    let leases = D1Leases::new(&env.d1("DB")?);
    Ok(JOBS.with(App::new(D1Trials(env.d1("DB")?))).leases(leases))
}

steadfast::worker::scheduled!(jobs);

/// The runtime's events on the console; once an isolate, later calls change nothing.
fn listen() {
    // No clock of std's is there to stamp the lines with; the console has its own.
    let lines = tracing_subscriber::fmt().without_time().with_ansi(false);
    let _listening = lines.with_writer(|| Console).try_init();
}

struct Console;

impl io::Write for Console {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        worker::console_log!("{}", String::from_utf8_lossy(line).trim_end());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
