//! A server that a test stops and starts.

use std::{env, marker::PhantomData, net::TcpListener, time::Duration};

use sqlx::{
    ConnectOptions, Connection, MySqlConnection, PgConnection, mysql::MySqlConnectOptions, postgres::PgConnectOptions,
};
use tokio::process::{Child, Command};

/// The variable with the command of a PostgreSQL that nobody has started; its last word wants a port behind it.
pub const POSTGRES: &str = "STEADFAST_POSTGRES_SPARE";

/// The same with a folder of its own, for a test that runs beside one that has the first.
pub const POSTGRES_OF_CHAOS: &str = "STEADFAST_POSTGRES_CHAOS";

/// And a third.
pub const POSTGRES_OF_CRASHES: &str = "STEADFAST_POSTGRES_CRASH";

/// The same of a MariaDB.
pub const MYSQL: &str = "STEADFAST_MYSQL_SPARE";

/// What such a server is.
pub trait Server: Connection {
    /// The variable with its command.
    const COMMAND: &'static str;

    /// As the tally calls it.
    const NAME: &'static str;

    /// The signal at which it ends every session first.
    const END: &'static str;

    /// How to reach it on this machine.
    fn options(port: u16) -> Self::Options;
}

impl Server for PgConnection {
    const COMMAND: &'static str = POSTGRES;
    const NAME: &'static str = "postgres";
    const END: &'static str = "INT";

    fn options(port: u16) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(port).username("steadfast").database("postgres")
    }
}

impl Server for MySqlConnection {
    const COMMAND: &'static str = MYSQL;
    const NAME: &'static str = "mysql";
    const END: &'static str = "TERM";

    fn options(port: u16) -> MySqlConnectOptions {
        MySqlConnectOptions::new().host("127.0.0.1").port(port).username("root")
    }
}

/// The server, which ends with this value.
#[derive(Debug)]
pub struct Spare<S> {
    port: u16,
    command: &'static str,
    process: Option<Child>,
    server: PhantomData<fn() -> S>,
}

impl<S: Server> Spare<S> {
    /// Starts it on a free port.
    ///
    /// # Panics
    /// When the variable is absent or the server does not start.
    pub async fn start() -> Self {
        Self::start_from(S::COMMAND).await
    }

    /// Starts the one whose command is in that variable.
    ///
    /// # Panics
    /// When the variable is absent or the server does not start.
    pub async fn start_from(command: &'static str) -> Self {
        crate::tally::note(S::NAME);
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        let port = free.expect("a free port").port();
        let mut spare = Self { port, command, process: None, server: PhantomData };
        spare.start_again().await;
        spare
    }

    /// Starts it after a [`stop`](Self::stop).
    ///
    /// # Panics
    /// When it does not answer within a minute.
    pub async fn start_again(&mut self) {
        let command = self.command;
        let command =
            env::var(command).unwrap_or_else(|_| panic!("{command} is not set: run `tests/run`, which sets it"));
        let mut words = command.split(' ');
        let mut command = Command::new(words.next().expect("a program"));
        command.args(words).arg(self.port.to_string()).kill_on_drop(true);
        let mut process = command.spawn().expect("the server starts");
        let answers = async {
            loop {
                match self.options().connect().await {
                    Ok(connection) => break drop(connection.close().await),
                    // It refuses to start while a session of the one before, which was killed, has not ended.
                    Err(_) if process.try_wait().expect("its own process").is_some() => {
                        process = command.spawn().expect("the server starts");
                    }
                    Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                }
            }
        };
        tokio::time::timeout(Duration::from_mins(1), answers).await.expect("the server answers");
        self.process = Some(process);
    }

    /// Ends it and waits until it has ended, by a signal of that name: [`Server::END`], or `KILL`, which ends nothing first.
    ///
    /// # Panics
    /// When it does not run.
    pub async fn stop(&mut self, signal: &str) {
        let mut process = self.process.take().expect("it runs");
        let pid = process.id().expect("it runs");
        crate::signal(pid, signal).await;
        process.wait().await.expect("it ends");
    }

    /// How to reach it.
    #[must_use]
    pub fn options(&self) -> S::Options {
        S::options(self.port)
    }
}
