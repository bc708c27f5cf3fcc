//! MySQL's wire protocol, packet by packet: a BEGIN or COMMIT is a query (`COM_QUERY`) of that text. A prepared one, or one
//! inside a text of several statements, is not seen.

use std::{
    io,
    net::SocketAddr,
    sync::{Mutex, PoisonError},
};

use sqlx::mysql::MySqlConnectOptions;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, tcp},
};

use super::{Fate, Moment, Script, Upstream};

impl Upstream for MySqlConnectOptions {
    fn address(&self) -> (String, u16) {
        (self.get_host().to_owned(), self.get_port())
    }

    fn by_way_of(&self, proxy: SocketAddr) -> Self {
        self.clone().host(&proxy.ip().to_string()).port(proxy.port())
    }

    async fn connection(client: TcpStream, server: TcpStream, script: &Script) -> io::Result<()> {
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let strike = Mutex::new(Fate::Pass);
        tokio::select! {
            ended = requests(from_client, to_server, script, &strike) => ended,
            ended = answers(from_server, to_client, &strike) => ended,
        }
    }
}

/// The fate of the answer that is awaited. A client sends COMMIT when it has read every earlier answer, so the next packet
/// is the one.
fn striking(strike: &Mutex<Fate>) -> std::sync::MutexGuard<'_, Fate> {
    strike.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn requests(
    mut client: tcp::OwnedReadHalf,
    mut to_server: tcp::OwnedWriteHalf,
    script: &Script,
    strike: &Mutex<Fate>,
) -> io::Result<()> {
    let mut packets = Packets::default();
    while let Some(packet) = packets.next_of(&mut client).await? {
        let fate = script.next(moment(&packet));
        match fate {
            Fate::Pass => {}
            Fate::CutBefore => return Ok(()),
            _ => *striking(strike) = fate,
        }
        to_server.write_all(&packet).await?;
    }
    Ok(())
}

async fn answers(
    mut server: tcp::OwnedReadHalf,
    mut to_client: tcp::OwnedWriteHalf,
    strike: &Mutex<Fate>,
) -> io::Result<()> {
    let mut packets = Packets::default();
    while let Some(packet) = packets.next_of(&mut server).await? {
        let fate = *striking(strike);
        match fate {
            Fate::Pass | Fate::CutBefore => to_client.write_all(&packet).await?,
            Fate::CutAfter => {
                to_client.write_all(&packet).await?;
                return to_client.shutdown().await;
            }
            Fate::SwallowAnswer => return Ok(()),
            Fate::Stall => return std::future::pending().await,
        }
    }
    Ok(())
}

/// Cuts a stream of bytes into packets, however the bytes arrive.
#[derive(Debug, Default)]
struct Packets(Vec<u8>);

impl Packets {
    /// Length of the payload in three bytes, and a number.
    const HEAD: usize = 4;

    /// The next whole packet, or `None` while part of it is missing.
    fn next(&mut self) -> Option<Vec<u8>> {
        let length = self.0.get(..3)?;
        let length = usize::from(length[0]) | usize::from(length[1]) << 8 | usize::from(length[2]) << 16;
        if self.0.len() < Self::HEAD + length {
            return None;
        }
        let rest = self.0.split_off(Self::HEAD + length);
        Some(std::mem::replace(&mut self.0, rest))
    }

    /// The next packet, or `None` at the end of the stream.
    async fn next_of(&mut self, socket: &mut tcp::OwnedReadHalf) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(packet) = self.next() {
                return Ok(Some(packet));
            }
            if socket.read_buf(&mut self.0).await? == 0 {
                return Ok(None);
            }
        }
    }
}

/// Whether this packet makes the server begin or commit. Numbers start at 0 with each command; what a client says of itself
/// while it connects is an answer, and has a higher one.
fn moment(packet: &[u8]) -> Option<Moment> {
    const QUERY: u8 = 3;
    let [_, _, _, 0, QUERY, text @ ..] = packet else { return None };
    match text.trim_ascii().to_ascii_lowercase().as_slice() {
        b"begin" | b"start transaction" => Some(Moment::Begin),
        b"commit" => Some(Moment::Commit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sqlx::mysql::MySqlPoolOptions;
    use tokio::time::timeout;

    use super::{Fate, Moment, Packets, moment};
    use crate::{mysql::Database, proxy::Proxy};

    fn packet(number: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
        [&length[..3], &[number], payload].concat()
    }

    #[test]
    fn packets_are_the_same_however_the_bytes_are_split() {
        let sent = vec![packet(1, b"\x85\xa6nobody"), packet(0, b"\x03BEGIN"), packet(0, &[7; 70_000]), packet(0, b"")];
        let bytes = sent.concat();
        for first in (0..30).chain([300, 66_000, bytes.len()]) {
            let mut packets = Packets::default();
            let mut got = Vec::new();
            for part in [&bytes[..first], &bytes[first..]] {
                packets.0.extend_from_slice(part);
                got.extend(std::iter::from_fn(|| packets.next()));
            }
            assert_eq!(got, sent);
        }
    }

    #[test]
    fn begin_and_commit_are_known_by_their_command_and_text() {
        assert_eq!(moment(&packet(0, b"\x03COMMIT")), Some(Moment::Commit));
        assert_eq!(moment(&packet(0, b"\x03 commit ")), Some(Moment::Commit));
        assert_eq!(moment(&packet(0, b"\x03START TRANSACTION")), Some(Moment::Begin));
        for other in [packet(0, b"\x03ROLLBACK"), packet(0, b"\x16COMMIT"), packet(1, b"\x03COMMIT"), packet(0, b"")] {
            assert_eq!(moment(&other), None, "{other:?}");
        }
    }

    /// Commits one row by way of a proxy: the client's result, the rows that are there, the COMMITs seen.
    async fn commit_under(fate: Fate) -> (Result<bool, ()>, i64, usize) {
        let database = Database::with(2).await;
        sqlx::query("CREATE TABLE t (n BIGINT)").execute(database.pool()).await.unwrap();
        let proxy = Proxy::before(&database.options()).await;
        let pool =
            MySqlPoolOptions::new().max_connections(1).connect_with(proxy.options(&database.options())).await.unwrap();
        proxy.script([Fate::Pass, fate]);
        pool.begin().await.unwrap().commit().await.unwrap();
        let committing = async {
            let mut transaction = pool.begin().await.unwrap();
            sqlx::query("INSERT INTO t VALUES (1)").execute(&mut *transaction).await.unwrap();
            transaction.commit().await
        };
        let ended = match timeout(Duration::from_secs(1), committing).await {
            Ok(result) => Ok(result.is_ok()),
            Err(_) => Err(()),
        };
        let rows = sqlx::query_scalar("SELECT count(*) FROM t").fetch_one(database.pool()).await.unwrap();
        (ended, rows, proxy.commits())
    }

    #[tokio::test]
    #[ignore = "needs MariaDB: tests/run"]
    async fn each_fate_strikes_a_real_commit() {
        assert_eq!(commit_under(Fate::Pass).await, (Ok(true), 1, 2));
        assert_eq!(commit_under(Fate::CutBefore).await, (Ok(false), 0, 2));
        assert_eq!(commit_under(Fate::SwallowAnswer).await, (Ok(false), 1, 2));
        assert_eq!(commit_under(Fate::CutAfter).await, (Ok(true), 1, 2));
        assert_eq!(commit_under(Fate::Stall).await, (Err(()), 1, 2));
    }
}
