//! PostgreSQL's wire protocol, message by message: a BEGIN, a COMMIT or a claim is a simple query, or the Execute of a prepared
//! statement of that text. One inside a text of several statements is not seen.

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Mutex, PoisonError, atomic::Ordering},
};

use sqlx::postgres::PgConnectOptions;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, tcp},
};

use super::{Fate, Moment, Script, Upstream};

impl Upstream for PgConnectOptions {
    fn address(&self) -> (String, u16) {
        (self.get_host().to_owned(), self.get_port())
    }

    fn by_way_of(&self, proxy: SocketAddr) -> Self {
        self.clone().host(&proxy.ip().to_string()).port(proxy.port())
    }

    async fn connection(client: TcpStream, server: TcpStream, script: &Script) -> io::Result<()> {
        let (from_client, mut to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let first = handshake(from_client, &mut to_client).await?;
        let plan = Mutex::new(Plan::default());
        tokio::select! {
            ended = requests(first, to_server, script, &plan) => ended,
            ended = answers(from_server, to_client, &plan) => ended,
        }
    }
}

/// What the answers' direction must know of the requests.
#[derive(Debug, Default)]
struct Plan {
    /// Requests so far that end in a `ReadyForQuery`.
    rounds: usize,
    /// A fate, and the round whose answer it strikes.
    strike: Option<(Fate, usize)>,
}

fn planned(plan: &Mutex<Plan>) -> std::sync::MutexGuard<'_, Plan> {
    plan.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers a wish for encryption with a no, so that messages stay readable; stops before the startup message.
async fn handshake(from_client: tcp::OwnedReadHalf, to_client: &mut tcp::OwnedWriteHalf) -> io::Result<Stream> {
    let mut stream = Stream::new(from_client, Frames::from_client());
    loop {
        let Some(frame) = stream.next().await? else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        if frame.wants_encryption() {
            stream.frames.startup = true;
            to_client.write_all(b"N").await?;
        } else {
            stream.again = Some(frame);
            return Ok(stream);
        }
    }
}

async fn requests(
    mut client: Stream,
    mut to_server: tcp::OwnedWriteHalf,
    script: &Script,
    plan: &Mutex<Plan>,
) -> io::Result<()> {
    let mut moments = Moments::default();
    while let Some(frame) = client.next().await? {
        let fate = script.next(moments.of(&frame));
        if fate == Fate::CutBefore {
            return Ok(());
        }
        {
            let mut plan = planned(plan);
            if fate != Fate::Pass {
                // Execute is answered in the round that the next Sync ends, a simple query in its own: both are the next.
                plan.strike = Some((fate, plan.rounds + 1));
            }
            plan.rounds += usize::from(frame.ends_a_round());
            script.round_trips.fetch_add(usize::from(frame.ends_a_round()), Ordering::SeqCst);
        }
        to_server.write_all(&frame.bytes).await?;
    }
    Ok(())
}

async fn answers(
    from_server: tcp::OwnedReadHalf,
    mut to_client: tcp::OwnedWriteHalf,
    plan: &Mutex<Plan>,
) -> io::Result<()> {
    let mut server = Stream::new(from_server, Frames::from_server());
    // Becoming ready after the startup is the end of round 0.
    let mut round = 0;
    while let Some(frame) = server.next().await? {
        let strike = planned(plan).strike;
        let fate = strike.and_then(|(fate, at)| (at == round).then_some(fate));
        let ready = frame.kind == b'Z';
        round += usize::from(ready);
        match fate {
            None | Some(Fate::Pass | Fate::CutBefore) => to_client.write_all(&frame.bytes).await?,
            Some(Fate::CutAfter) => {
                to_client.write_all(&frame.bytes).await?;
                if ready {
                    return to_client.shutdown().await;
                }
            }
            Some(Fate::SwallowAnswer) if ready => return Ok(()),
            Some(Fate::Stall) if ready => return std::future::pending().await,
            Some(Fate::SwallowAnswer | Fate::Stall) => {}
        }
    }
    Ok(())
}

/// Messages of one direction of a connection.
#[derive(Debug)]
struct Stream {
    socket: tcp::OwnedReadHalf,
    frames: Frames,
    /// A message that was looked at and must be seen again.
    again: Option<Frame>,
}

impl Stream {
    fn new(socket: tcp::OwnedReadHalf, frames: Frames) -> Self {
        Self { socket, frames, again: None }
    }

    /// The next message, or `None` at the end of the stream.
    async fn next(&mut self) -> io::Result<Option<Frame>> {
        if let Some(frame) = self.again.take() {
            return Ok(Some(frame));
        }
        loop {
            if let Some(frame) = self.frames.next()? {
                return Ok(Some(frame));
            }
            if self.socket.read_buf(&mut self.frames.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }
}

/// Cuts a stream of bytes into messages, however the bytes arrive.
#[derive(Debug)]
struct Frames {
    buffer: Vec<u8>,
    /// The next message is a startup message, which has no type byte.
    startup: bool,
}

impl Frames {
    fn from_client() -> Self {
        Self { buffer: Vec::new(), startup: true }
    }

    fn from_server() -> Self {
        Self { buffer: Vec::new(), startup: false }
    }

    /// The next whole message, or `None` while part of it is missing.
    fn next(&mut self) -> io::Result<Option<Frame>> {
        let head = usize::from(!self.startup);
        let Some(length) = self.buffer.get(head..head + 4) else {
            return Ok(None);
        };
        let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]);
        // The length counts itself; PostgreSQL's own limit is 1 GiB.
        let length = usize::try_from(length).ok().filter(|length| (4..=1 << 30).contains(length));
        let Some(length) = length else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        if self.buffer.len() < head + length {
            return Ok(None);
        }
        let rest = self.buffer.split_off(head + length);
        let bytes = std::mem::replace(&mut self.buffer, rest);
        let kind = if self.startup { Frame::STARTUP } else { bytes[0] };
        self.startup = false;
        Ok(Some(Frame { kind, bytes }))
    }
}

/// One message, as it travels.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Frame {
    kind: u8,
    bytes: Vec<u8>,
}

impl Frame {
    /// Stands for the type byte that a startup message lacks.
    const STARTUP: u8 = 0;

    fn wants_encryption(&self) -> bool {
        const SSL: u32 = 80_877_103;
        const GSS: u32 = 80_877_104;
        self.kind == Self::STARTUP
            && [SSL, GSS].iter().any(|code| self.bytes.get(4..8) == Some(&code.to_be_bytes()[..]))
    }

    /// A simple query, a Sync or a function call: the server answers it and becomes ready.
    fn ends_a_round(&self) -> bool {
        matches!(self.kind, b'Q' | b'S' | b'F')
    }

    /// The zero-terminated strings that the message begins with.
    fn strings(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.get(5..).unwrap_or_default().split(|byte| *byte == 0)
    }
}

/// Knows which prepared statements and portals of a connection begin, commit or claim.
#[derive(Debug, Default)]
struct Moments {
    statements: HashMap<Vec<u8>, Moment>,
    portals: HashMap<Vec<u8>, Moment>,
}

impl Moments {
    /// Whether this message makes the server begin, commit or claim; to be shown every message of the client.
    fn of(&mut self, frame: &Frame) -> Option<Moment> {
        let mut strings = frame.strings();
        let mut string = || strings.next().unwrap_or_default();
        match frame.kind {
            b'Q' => return moment(string()),
            // Parse: statement, text.
            b'P' => {
                let (statement, text) = (string(), string());
                mark(&mut self.statements, statement, moment(text));
            }
            // Bind: portal, statement.
            b'B' => {
                let (portal, statement) = (string(), string());
                mark(&mut self.portals, portal, self.statements.get(statement).copied());
            }
            // Execute: portal.
            b'E' => return self.portals.get(string()).copied(),
            // Close: S or P, name.
            b'C' => match string().split_first() {
                Some((b'S', statement)) => mark(&mut self.statements, statement, None),
                Some((_, portal)) => mark(&mut self.portals, portal, None),
                None => {}
            },
            _ => {}
        }
        None
    }
}

fn mark(names: &mut HashMap<Vec<u8>, Moment>, name: &[u8], moment: Option<Moment>) {
    match moment {
        Some(moment) => drop(names.insert(name.to_vec(), moment)),
        None => drop(names.remove(name)),
    }
}

/// `BEGIN`; `COMMIT` or `END` with their noise words, but not `COMMIT PREPARED`, which ends no transaction of this connection; an
/// upsert into the table of leases.
fn moment(text: &[u8]) -> Option<Moment> {
    let text = String::from_utf8_lossy(text).to_ascii_uppercase();
    let mut words = text.trim_end_matches([';', ' ', '\n']).split_ascii_whitespace();
    // Other statements may follow BEGIN in one text.
    match words.next()?.trim_end_matches(';') {
        "BEGIN" => Some(Moment::Begin),
        "INSERT" => (words.next() == Some("INTO")
            && words.next().is_some_and(|table| table.trim_matches('"') == "JOBS_LEASES"))
        .then_some(Moment::Claim),
        "COMMIT" | "END" => {
            words.all(|word| matches!(word, "WORK" | "TRANSACTION" | "AND" | "NO" | "CHAIN")).then_some(Moment::Commit)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sqlx::postgres::PgPoolOptions;
    use tokio::time::timeout;

    use super::{Fate, Frame, Frames, Moment, Moments, moment};
    use crate::{postgres::Database, proxy::Proxy};

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[kind], &length[..], body].concat()
    }

    fn startup(code: u32, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 8).unwrap().to_be_bytes();
        [&length[..], &code.to_be_bytes(), body].concat()
    }

    fn frames(frames: &mut Frames) -> Vec<Frame> {
        std::iter::from_fn(|| frames.next().unwrap()).collect()
    }

    /// The text of one session, in the order in which a client sends it.
    fn session() -> Vec<Vec<u8>> {
        vec![
            startup(196_608, b"user\0nobody\0\0"),
            message(b'Q', b"BEGIN\0"),
            message(b'P', b"s1\0INSERT INTO t VALUES ($1)\0\0\0"),
            message(b'P', b"s2\0COMMIT\0\0\0"),
            message(b'S', b""),
            message(b'B', b"\0s1\0\0\0\0\0\0\0"),
            message(b'E', b"\0\0\0\0\0"),
            message(b'B', b"\0s2\0\0\0\0\0\0\0"),
            message(b'E', b"\0\0\0\0\0"),
            message(b'S', b""),
            message(b'C', b"Ss2\0"),
            message(b'B', b"\0s2\0\0\0\0\0\0\0"),
            message(b'E', b"\0\0\0\0\0"),
            message(b'Q', b"commit;\0"),
            message(b'X', b""),
        ]
    }

    #[test]
    fn messages_are_the_same_however_the_bytes_are_split() {
        let sent = session();
        let bytes = sent.concat();
        for first in 0..=bytes.len() {
            let mut cut = Frames::from_client();
            let mut got = Vec::new();
            for part in [&bytes[..first], &bytes[first..]] {
                cut.buffer.extend_from_slice(part);
                got.extend(frames(&mut cut));
            }
            assert_eq!(got.iter().map(|frame| frame.bytes.clone()).collect::<Vec<_>>(), sent);
        }
        let mut cut = Frames::from_client();
        let mut got = Vec::new();
        for byte in bytes {
            cut.buffer.push(byte);
            got.extend(frames(&mut cut));
        }
        assert_eq!(got.len(), sent.len());
        assert!(cut.buffer.is_empty());
    }

    #[test]
    fn a_length_that_cannot_be_is_an_error() {
        for length in [0_u32, 3, u32::MAX] {
            let mut cut = Frames::from_server();
            cut.buffer = [&b"Z"[..], &length.to_be_bytes()].concat();
            assert!(cut.next().is_err(), "{length}");
        }
    }

    #[test]
    fn a_wish_for_encryption_is_known() {
        for (code, wish) in [(80_877_103, true), (80_877_104, true), (80_877_102, false), (196_608, false)] {
            let mut cut = Frames::from_client();
            cut.buffer = startup(code, b"");
            assert_eq!(cut.next().unwrap().unwrap().wants_encryption(), wish, "{code}");
        }
    }

    #[test]
    fn begin_and_commit_are_seen_in_both_protocols_and_nothing_else_is() {
        let mut cut = Frames::from_client();
        cut.buffer = session().concat();
        let mut moments = Moments::default();
        let seen: Vec<_> = frames(&mut cut).iter().map(|frame| moments.of(frame)).collect();
        let at = |moment| -> Vec<usize> { (0..seen.len()).filter(|index| seen[*index] == Some(moment)).collect() };
        assert_eq!((at(Moment::Begin), at(Moment::Commit)), (vec![1], vec![8, 13]));
    }

    #[test]
    fn begin_and_commit_are_known_by_their_words() {
        for text in ["COMMIT", "commit", " Commit ; ", "COMMIT WORK", "END", "end transaction", "COMMIT AND NO CHAIN"] {
            assert_eq!(moment(text.as_bytes()), Some(Moment::Commit), "{text}");
        }
        for text in ["BEGIN", "begin isolation level serializable", "BEGIN; SELECT 1"] {
            assert_eq!(moment(text.as_bytes()), Some(Moment::Begin), "{text}");
        }
        assert_eq!(
            moment(b"INSERT INTO \"jobs_leases\" AS l (name) VALUES ($1) ON CONFLICT DO NOTHING"),
            Some(Moment::Claim)
        );
        for text in [
            "",
            ";",
            "INSERT",
            "INSERT INTO jobs VALUES (1)",
            "UPDATE jobs_leases SET holder = ''",
            "COMMIT PREPARED 'a'",
            "COMMITTED",
            "SELECT 'COMMIT'",
            "ROLLBACK",
            "ENDING",
            "BEGINNING",
        ] {
            assert_eq!(moment(text.as_bytes()), None, "{text}");
        }
    }

    /// Commits one row by way of a proxy: the client's result, the rows that are there, the COMMITs seen.
    async fn commit_under(fate: Fate, prepared: bool) -> (Result<bool, ()>, i64, usize) {
        let database = Database::with(2).await;
        sqlx::query("CREATE TABLE t (n BIGINT)").execute(database.pool()).await.unwrap();
        let proxy = Proxy::before(&database.options()).await;
        let pool =
            PgPoolOptions::new().max_connections(1).connect_with(proxy.options(&database.options())).await.unwrap();
        proxy.script([Fate::Pass, fate]);
        for _ in 0..2 {
            sqlx::query("SELECT 1").execute(&pool).await.unwrap();
        }
        pool.begin().await.unwrap().commit().await.unwrap();

        let committing = async {
            if prepared {
                let mut connection = pool.acquire().await.unwrap();
                sqlx::query("BEGIN").execute(&mut *connection).await.unwrap();
                sqlx::query("INSERT INTO t VALUES (1)").execute(&mut *connection).await.unwrap();
                sqlx::query("COMMIT").execute(&mut *connection).await.map(drop)
            } else {
                let mut transaction = pool.begin().await.unwrap();
                sqlx::query("INSERT INTO t VALUES (1)").execute(&mut *transaction).await.unwrap();
                transaction.commit().await
            }
        };
        let ended = match timeout(Duration::from_secs(1), committing).await {
            Ok(result) => Ok(result.is_ok()),
            Err(_) => Err(()),
        };
        let rows = sqlx::query_scalar("SELECT count(*) FROM t").fetch_one(database.pool()).await.unwrap();
        (ended, rows, proxy.commits())
    }

    #[tokio::test]
    #[ignore = "needs PostgreSQL: tests/run"]
    async fn each_fate_strikes_a_real_commit() {
        for prepared in [false, true] {
            assert_eq!(commit_under(Fate::Pass, prepared).await, (Ok(true), 1, 2));
            assert_eq!(commit_under(Fate::CutBefore, prepared).await, (Ok(false), 0, 2));
            assert_eq!(commit_under(Fate::SwallowAnswer, prepared).await, (Ok(false), 1, 2));
            assert_eq!(commit_under(Fate::CutAfter, prepared).await, (Ok(true), 1, 2));
            assert_eq!(commit_under(Fate::Stall, prepared).await, (Err(()), 1, 2));
        }
    }
}
