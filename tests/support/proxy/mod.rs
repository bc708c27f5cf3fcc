//! A loopback proxy in front of a server that loses a BEGIN, a COMMIT or the claim of a lease, or the answer, when told to.
//!
//! It follows the wire protocol, one file an engine, so a fault strikes exactly there.

mod mysql;
mod postgres;

use std::{
    collections::VecDeque,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

/// The two statements of a unit that are not its body's, and the one by which a run takes its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// BEGIN, or START TRANSACTION.
    Begin,
    /// COMMIT, or END.
    Commit,
    /// The statement that writes the claim of a lease; seen on PostgreSQL alone.
    Claim,
}

/// What happens to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It passes, and so does its answer.
    Pass,
    /// It never reaches the server: both connections are cut first.
    CutBefore,
    /// The server has answered; the answer is swallowed and both connections are cut.
    SwallowAnswer,
    /// The client has been given the answer, then both connections are cut.
    CutAfter,
    /// The server has answered; the answer is kept back and both connections stay open.
    Stall,
}

/// How to connect to a server, and what its protocol looks like on the way.
pub trait Upstream: Clone + 'static {
    /// Where the server is.
    fn address(&self) -> (String, u16);

    /// The same, by way of a proxy.
    #[must_use]
    fn by_way_of(&self, proxy: SocketAddr) -> Self;

    /// Carries one connection; both sides end when this does.
    fn connection(client: TcpStream, server: TcpStream, script: &Script)
    -> impl Future<Output = io::Result<()>> + Send;
}

/// The proxy; it and every connection through it end when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    script: Arc<Script>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// A proxy on a free port in front of the server that `server` connects to.
    ///
    /// # Panics
    /// When no port can be had.
    pub async fn before<U: Upstream>(server: &U) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let script = Arc::new(Script::default());
        let accepting = tokio::spawn(accept::<U>(listener, server.address(), Arc::clone(&script)));
        Self { address, script, accepting }
    }

    /// The same options, by way of this proxy.
    #[must_use]
    pub fn options<U: Upstream>(&self, server: &U) -> U {
        server.by_way_of(self.address)
    }

    /// Adds fates: each COMMIT, over all connections, takes the next one. Without any, it passes.
    pub fn script(&self, fates: impl IntoIterator<Item = Fate>) {
        self.script_at(Moment::Commit, fates);
    }

    /// The same for one of the others.
    pub fn script_at(&self, moment: Moment, fates: impl IntoIterator<Item = Fate>) {
        self.script.at(moment).fates().extend(fates);
    }

    /// Takes back the fates that no COMMIT has met.
    pub fn forget(&self) {
        self.forget_at(Moment::Commit);
    }

    /// The same for one of the others.
    pub fn forget_at(&self, moment: Moment) {
        self.script.at(moment).fates().clear();
    }

    /// How many fates have not been met.
    #[must_use]
    pub fn to_come(&self, moment: Moment) -> usize {
        self.script.at(moment).fates().len()
    }

    /// How many COMMITs clients have sent, whatever became of them.
    #[must_use]
    pub fn commits(&self) -> usize {
        self.seen(Moment::Commit)
    }

    /// The same for one of the others.
    #[must_use]
    pub fn seen(&self, moment: Moment) -> usize {
        self.script.at(moment).seen.load(Ordering::SeqCst)
    }

    /// How many requests clients have sent that a PostgreSQL server answers by becoming ready again.
    #[must_use]
    pub fn round_trips(&self) -> usize {
        self.script.round_trips.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// The fates to come.
#[derive(Debug, Default)]
pub struct Script {
    begins: Queue,
    commits: Queue,
    claims: Queue,
    round_trips: AtomicUsize,
}

/// Those of one moment.
#[derive(Debug, Default)]
struct Queue {
    fates: Mutex<VecDeque<Fate>>,
    seen: AtomicUsize,
}

impl Queue {
    fn fates(&self) -> std::sync::MutexGuard<'_, VecDeque<Fate>> {
        self.fates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Script {
    fn at(&self, moment: Moment) -> &Queue {
        match moment {
            Moment::Begin => &self.begins,
            Moment::Commit => &self.commits,
            Moment::Claim => &self.claims,
        }
    }

    /// The fate of what a client has just sent.
    fn next(&self, moment: Option<Moment>) -> Fate {
        let Some(queue) = moment.map(|moment| self.at(moment)) else {
            return Fate::Pass;
        };
        queue.seen.fetch_add(1, Ordering::SeqCst);
        queue.fates().pop_front().unwrap_or(Fate::Pass)
    }
}

/// Aborting this task drops the set, and that ends the connections.
async fn accept<U: Upstream>(listener: TcpListener, upstream: (String, u16), script: Arc<Script>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let (upstream, script) = (upstream.clone(), Arc::clone(&script));
        connections.spawn(async move {
            // Whatever ends a connection, the test sees it as the client's error.
            let _ = connect::<U>(client, upstream, &script).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn connect<U: Upstream>(client: TcpStream, upstream: (String, u16), script: &Script) -> io::Result<()> {
    let server = TcpStream::connect(upstream).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    U::connection(client, server, script).await
}
