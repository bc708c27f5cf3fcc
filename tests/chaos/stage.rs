//! Where a script is played: replicas that come, are struck and are waited for by name.

use std::time::Duration;

use steadfast_tests::{
    chaos::{Event, Settings},
    postgres,
    proxy::Moment,
};

use super::{
    JOBS, MINUTE, Span,
    audit::Findings,
    explained::Causes,
    faults::{Fault, Struck},
    ledger::Ledger,
    replica::Replica,
    scene::Scene,
};

/// Of the sped-up clock.
pub(super) fn minutes(minutes: u32) -> Duration {
    Duration::from_mins(1) * minutes
}

pub(super) struct Stage {
    pub(super) scene: Scene,
    replicas: Vec<Replica>,
    struck: Vec<Struck>,
}

impl Stage {
    /// On the server of all tests; a minute takes so many milliseconds.
    pub(super) async fn new(minute: u64) -> Self {
        let scene = Scene::on(postgres::server(), Duration::from_millis(minute)).await;
        Self { scene, replicas: Vec::new(), struck: Vec::new() }
    }

    pub(super) fn settings(&self, number: i32) -> Settings {
        Settings::new(number, self.scene.clock)
    }

    /// Starts a replica.
    pub(super) async fn enter(&mut self, settings: Settings) -> usize {
        let seat = self.scene.seat(settings.number).await;
        self.replicas.push(Replica::start(seat, settings));
        self.replicas.len() - 1
    }

    pub(super) fn replica(&mut self, index: usize) -> &mut Replica {
        &mut self.replicas[index]
    }

    pub(super) async fn stop(&mut self, index: usize) {
        self.struck(Fault::Stopped, Some(self.replicas[index].settings.number));
        self.replicas[index].signal("STOP").await;
    }

    pub(super) async fn resume(&mut self, index: usize) {
        let number = self.replicas[index].settings.number;
        let now = self.scene.clock.millis();
        self.struck.iter_mut().filter(|fault| fault.pauses(number)).for_each(|fault| fault.until = now);
        self.replicas[index].signal("CONT").await;
    }

    /// Writes a fault down.
    pub(super) fn struck(&mut self, fault: Fault, replica: Option<i32>) {
        self.struck.push(Struck::since(self.scene.clock.millis(), fault, replica));
    }

    pub(super) async fn until(&self, what: &str, is_so: impl AsyncFn(&Self) -> bool) {
        self.scene.until(what, async || is_so(self).await).await;
    }

    /// The replica is at work.
    pub(super) async fn has_begun(&self, replica: i32, job: &str) {
        let begun = format!("replica {replica} begins {job}");
        self.until(&begun, async |stage| stage.scene.marks(replica, job).await > 0).await;
    }

    /// It is still at work: it says so twice more.
    pub(super) async fn is_alive(&self, replica: i32, job: &str) {
        let before = self.scene.marks(replica, job).await;
        let alive = format!("replica {replica} is alive in {job}");
        self.until(&alive, async |stage| stage.scene.marks(replica, job).await >= before + 2).await;
    }

    /// So many of its claims were answered.
    pub(super) async fn is_answered(&self, replica: i32, job: &str, times: usize) {
        let answered = format!("replica {replica} is answered {times} times for {job}");
        self.until(&answered, async |stage| stage.scene.answers(replica, job) >= times).await;
    }

    /// Its unit has ended, one way or the other.
    pub(super) async fn has_written(&self, replica: i32, job: &str) {
        let ended = [Event::Applied, Event::Fenced, Event::Failed];
        let written = format!("the unit of replica {replica} ends in {job}");
        self.until(&written, async |stage| ended.iter().any(|event| stage.scene.events(replica, job, *event) > 0))
            .await;
    }

    /// As if the slot before the next one, so many minutes earlier, had been run.
    pub(super) async fn has_run_before(&self, job: &str, every: i64) {
        let minute = self.scene.clock.slot().unix_millis() / MINUTE;
        let slot = (minute - minute.rem_euclid(every)) * MINUTE;
        let row = "INSERT INTO jobs_leases (name, last_slot, lease_ms, holder) VALUES ($1, $2, $3, 'before')";
        let row = sqlx::query(row).bind(job).bind(slot).bind(MINUTE);
        row.execute(self.scene.pool()).await.expect("the server is there");
    }

    pub(super) async fn was_given_back(&self, job: &str) -> bool {
        let given = sqlx::query_scalar("SELECT count(*) FROM leases WHERE job = $1 AND run = ''").bind(job);
        given.fetch_one(self.scene.pool()).await.is_ok_and(|given: i64| given > 0)
    }

    pub(super) fn claims_to_be_struck(&self) -> usize {
        self.replicas.iter().map(|replica| replica.seat.proxy.to_come(Moment::Claim)).sum()
    }

    /// What is found of a job, once every replica is gone.
    pub(super) async fn findings(mut self, job: (&'static str, i64)) -> Findings {
        for replica in &mut self.replicas {
            replica.kill().await;
        }
        self.audited(job).await
    }

    /// The same of all jobs, added up.
    pub(super) async fn findings_of_all(mut self) -> Findings {
        for replica in &mut self.replicas {
            replica.kill().await;
        }
        let mut all = Findings::default();
        for job in JOBS {
            all.add(self.audited(job).await);
        }
        all
    }

    /// What lies between its first run and its last.
    async fn audited(&self, job: (&'static str, i64)) -> Findings {
        let told = self.scene.told().clone();
        let ledger = Ledger::read(self.scene.pool(), &told).await.expect("the server is there");
        let slots: Vec<_> = ledger.runs_of(job.0).map(|run| run.slot).collect();
        let (first, last) = (slots.iter().min().copied(), slots.iter().max().copied());
        let span = Span { from: first.unwrap_or_default(), to: last.unwrap_or_default() };
        Findings::of(job, &ledger, Causes { struck: &self.struck, stalls: &[] }, span)
    }
}
