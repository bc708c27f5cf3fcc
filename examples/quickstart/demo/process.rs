//! A replica as its supervisor has it: a process.

use std::{
    path::Path,
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    task::JoinHandle,
};

use super::{clock::SpedUp, options::Supervise, report::Counts};

/// How replicas are started: all alike.
pub(super) struct Start<'a> {
    pub(super) file: &'a Path,
    pub(super) clock: SpedUp,
    pub(super) options: &'a Supervise,
    pub(super) counts: Arc<Counts>,
}

pub(super) struct Replica {
    pub(super) number: i64,
    process: Child,
    reader: Option<JoinHandle<()>>,
}

impl Replica {
    pub(super) fn start(number: i64, start: &Start<'_>) -> anyhow::Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(["--replica", &number.to_string()])
            .arg(start.file)
            .arg(start.options.slots.to_string())
            .args([start.clock.origin_ms.to_string(), start.clock.speed.to_string()])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("a replica could not be started")?;
        let output = process.stdout.take().context("a replica without an output")?;
        let counts = Arc::clone(&start.counts);
        let reader = tokio::spawn(async move {
            let mut lines = BufReader::new(output).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                counts.line(&line);
            }
        });
        Ok(Self { number, process, reader: Some(reader) })
    }

    /// Is its process there?
    pub(super) fn is_up(&self) -> bool {
        self.process.id().is_some()
    }

    /// SIGKILL, and until it is gone.
    pub(super) async fn kill(&mut self) -> anyhow::Result<()> {
        Ok(self.process.kill().await?)
    }

    /// SIGSTOP: it takes no further step, and does not know it.
    pub(super) async fn stop(&self) -> anyhow::Result<()> {
        self.signal("STOP").await
    }

    /// SIGCONT: it goes on where it was, at another time.
    pub(super) async fn resume(&self) -> anyhow::Result<()> {
        self.signal("CONT").await
    }

    /// SIGTERM, and until it has drained, or has died of it before it was up.
    pub(super) async fn shut_down(&mut self) -> anyhow::Result<()> {
        self.signal("TERM").await?;
        self.gone().await.map(drop)
    }

    async fn signal(&self, name: &str) -> anyhow::Result<()> {
        let Some(pid) = self.process.id() else { return Ok(()) };
        let sent = Command::new("kill").args([format!("-{name}"), pid.to_string()]).status().await;
        anyhow::ensure!(sent.context("`kill` is absent")?.success(), "no signal to replica {}", self.number);
        Ok(())
    }

    /// Waits until the replica has ended by itself.
    pub(super) async fn end(&mut self) -> anyhow::Result<()> {
        let status = self.gone().await?;
        anyhow::ensure!(status.success(), "replica {} ended with {status}", self.number);
        Ok(())
    }

    async fn gone(&mut self) -> anyhow::Result<ExitStatus> {
        let ended = tokio::time::timeout(Duration::from_secs(30), self.process.wait()).await;
        let status = ended.context("a replica does not end")??;
        if let Some(reader) = self.reader.take() {
            reader.await?;
        }
        Ok(status)
    }
}
