//! A replica as a process: started, sent signals, lied to about the time, waited for.

use std::{
    fs,
    path::PathBuf,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use sqlx::{ConnectOptions as _, postgres::PgConnectOptions};
use steadfast_tests::{
    chaos::{DATABASE, SCHEMA, Settings, Told},
    proxy::Proxy,
    signal,
};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, ChildStdin, Command},
    time::timeout,
};

/// What is a replica's own, whichever process sits on it.
pub(super) struct Seat {
    pub(super) proxy: Proxy,
    pub(super) database: PgConnectOptions,
    pub(super) schema: String,
    /// The file that libfaketime reads at every look at the clock.
    pub(super) clock: PathBuf,
    pub(super) faketime: String,
    pub(super) told: Arc<Mutex<Vec<Heard>>>,
}

/// A line of a replica, and when it was read.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    pub(super) replica: i32,
    pub(super) at: i64,
    pub(super) told: Told,
}

impl Heard {
    pub(super) fn is_of(&self, replica: i32, job: &str) -> bool {
        self.replica == replica && self.told.job == job
    }
}

pub(super) struct Replica {
    pub(super) settings: Settings,
    pub(super) seat: Seat,
    process: Process,
}

impl Replica {
    pub(super) fn start(seat: Seat, settings: Settings) -> Self {
        set(&seat.clock, 0, settings.clock.speed);
        let process = Process::start(&seat, &settings);
        Self { settings, seat, process }
    }

    /// Another process on the same seat; the one before has ended.
    pub(super) fn start_again(&mut self) {
        self.process = Process::start(&self.seat, &self.settings);
    }

    pub(super) async fn signal(&self, name: &str) {
        signal(self.process.pid, name).await;
    }

    /// By a signal that it cannot answer; waits until it is gone.
    pub(super) async fn kill(&mut self) {
        self.process.child.kill().await.expect("a process of ours");
    }

    /// In order, as an orchestrator ends it.
    pub(super) async fn end(&mut self) {
        self.assert_alive();
        self.signal("TERM").await;
        let ended = timeout(Duration::from_secs(20), self.process.child.wait()).await;
        let status = ended.expect("it ends when it is told to").expect("a process of ours");
        assert!(status.success(), "replica {} ended with {status}", self.settings.number);
    }

    pub(super) fn assert_alive(&mut self) {
        let ended = self.process.child.try_wait().expect("a process of ours");
        assert_eq!(ended, None, "replica {} has ended by itself", self.settings.number);
    }

    /// Its wall clock is that much ahead of everybody's from now on, in milliseconds of the sped-up clock. Its waits are as before.
    pub(super) fn move_clock(&self, ahead: i64) {
        set(&self.seat.clock, ahead, self.settings.clock.speed);
    }
}

/// The file is replaced whole: a look at the clock meets the old one or the new one.
fn set(file: &PathBuf, ahead: i64, speed: u32) {
    let micros = ahead * 1000 / i64::from(speed);
    let (sign, micros) = (if micros < 0 { '-' } else { '+' }, micros.unsigned_abs());
    let next = file.with_extension("next");
    fs::write(&next, format!("{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000)).expect("a folder of ours");
    fs::rename(&next, file).expect("a folder of ours");
}

struct Process {
    child: Child,
    /// Open for as long as it is here; a wait for the child would close it.
    _open: Option<ChildStdin>,
    pid: u32,
}

impl Process {
    fn start(seat: &Seat, settings: &Settings) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_chaos_replica"))
            .args(settings.words())
            .env(DATABASE, seat.database.to_url_lossy().as_str())
            .env(SCHEMA, &seat.schema)
            .env("LD_PRELOAD", &seat.faketime)
            .env("FAKETIME_TIMESTAMP_FILE", &seat.clock)
            .env("FAKETIME_NO_CACHE", "1")
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            // Its other end is closed when this process is gone, however that came about; the replica ends then.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the replica starts");
        let output = child.stdout.take().expect("it is piped");
        let (heard, replica, clock) = (Arc::clone(&seat.told), settings.number, settings.clock);
        tokio::spawn(async move {
            let mut lines = BufReader::new(output).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let told = line.parse().unwrap_or_else(|()| panic!("not a line of a replica: {line}"));
                let line = Heard { replica, at: clock.millis(), told };
                heard.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        let pid = child.id().expect("it was not waited for");
        Self { _open: child.stdin.take(), child, pid }
    }
}

impl Drop for Process {
    /// libfaketime leaves these behind with every process, and refuses to start one of the same number.
    fn drop(&mut self) {
        for left in ["faketime_shm_", "sem.faketime_sem_"] {
            let _ = fs::remove_file(format!("/dev/shm/{left}{}", self.pid));
        }
    }
}
