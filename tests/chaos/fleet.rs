//! Replicas on a server of their own, and how each fault strikes them and is taken back.

use std::time::Duration;

use rand::{RngExt as _, rngs::StdRng};
use sqlx::PgConnection;
use steadfast::clock::Clock as _;
use steadfast_tests::{
    chaos::{Settings, Version},
    proxy::{Fate, Moment},
    spare::{POSTGRES_OF_CHAOS, Server as _, Spare},
};

use super::{
    JOBS, MINUTE,
    faults::{Fault, Struck},
    replica::Replica,
    scene::Scene,
};

pub(super) struct Fleet {
    pub(super) scene: Scene,
    server: Spare<PgConnection>,
    replicas: Vec<Replica>,
    pub(super) struck: Vec<Struck>,
    /// Faults that are to be taken back: their index, and when.
    open: Vec<(usize, i64)>,
}

impl Fleet {
    pub(super) async fn start(replicas: i32, minute: Duration) -> Self {
        let server = Spare::<PgConnection>::start_from(POSTGRES_OF_CHAOS).await;
        let scene = Scene::on(server.options(), minute).await;
        let mut fleet = Self { scene, server, replicas: Vec::new(), struck: Vec::new(), open: Vec::new() };
        for number in 1..=replicas {
            let settings = Settings::new(number, fleet.scene.clock);
            fleet.replicas.push(Replica::start(fleet.scene.seat(number).await, settings));
        }
        let scene = &fleet.scene;
        let asks = async || (1..=replicas).all(|number| JOBS.iter().any(|(job, _)| scene.answers(number, job) > 0));
        scene.until("every replica claims", asks).await;
        fleet
    }

    /// The fault strikes somebody who is well; three times of four, whoever is at work for a job that is drawn.
    pub(super) async fn strike(&mut self, fault: Fault, random: &mut StdRng) {
        let well: Vec<_> = (0..self.replicas.len()).filter(|index| self.is_well(*index)).collect();
        let drawn = well[random.random_range(0..well.len())];
        let (job, every) = JOBS[random.random_range(0..JOBS.len())];
        let at_work = if random.random_bool(0.75) { self.at_work(job, every, &well).await } else { None };
        let victim = at_work.unwrap_or(drawn);
        let minutes = |from, to, random: &mut StdRng| random.random_range(from..=to) * MINUTE;
        match fault {
            Fault::Killed => {
                self.begins(fault, Some(victim), minutes(2, 4, random));
                self.replicas[victim].kill().await;
            }
            Fault::Stopped => {
                self.begins(fault, Some(victim), minutes(6, 8, random));
                self.replicas[victim].signal("STOP").await;
            }
            Fault::StoppedBriefly => {
                let index = self.begins(fault, Some(victim), MINUTE / 2);
                self.replicas[victim].signal("STOP").await;
                self.scene.clock.sleep(Duration::from_secs(30)).await;
                self.heal(index).await;
            }
            Fault::ClaimCutBefore => self.cut_claims(fault, None, Fate::CutBefore),
            Fault::ClaimSwallowed => self.cut_claims(fault, None, Fate::SwallowAnswer),
            Fault::ClaimCutAfter => self.cut_claims(fault, None, Fate::CutAfter),
            Fault::ClaimStalled => self.cut_claims(fault, Some(victim), Fate::Stall),
            Fault::ServerStopped | Fault::ServerKilled => {
                let index = self.begins(fault, None, 0);
                self.server.stop(if fault == Fault::ServerKilled { "KILL" } else { PgConnection::END }).await;
                self.server.start_again().await;
                self.heal(index).await;
            }
            Fault::Deployed => self.deploy(well).await,
            Fault::ClockAhead => self.move_clock(fault, victim, 7 * MINUTE, minutes(3, 5, random)),
            Fault::ClockBehind => self.move_clock(fault, victim, -7 * MINUTE, minutes(3, 5, random)),
            Fault::ClockDaysAhead => self.move_clock(fault, victim, 10 * 24 * 60 * MINUTE, minutes(3, 5, random)),
            Fault::ClockWithin => {
                let ahead = if random.random_bool(0.5) { MINUTE / 3 } else { -MINUTE / 3 };
                self.move_clock(fault, victim, ahead, minutes(3, 5, random));
            }
        }
    }

    /// Takes back what is due.
    pub(super) async fn heal_due(&mut self) {
        let now = self.scene.clock.millis();
        let due: Vec<_> = self.open.iter().filter(|(_, at)| *at <= now).map(|(index, _)| *index).collect();
        for index in due {
            self.heal(index).await;
        }
        for index in 0..self.replicas.len() {
            if self.is_well(index) {
                self.replicas[index].assert_alive();
            }
        }
    }

    pub(super) async fn heal_all(&mut self) {
        while let Some((index, _)) = self.open.first() {
            self.heal(*index).await;
        }
    }

    /// At least this many are not struck.
    pub(super) fn well(&self) -> usize {
        (0..self.replicas.len()).filter(|index| self.is_well(*index)).count()
    }

    /// Every replica ends in order.
    pub(super) async fn end(&mut self) {
        for replica in &mut self.replicas {
            replica.end().await;
        }
    }

    fn is_well(&self, index: usize) -> bool {
        let number = self.replicas[index].settings.number;
        !self.open.iter().any(|(fault, _)| self.struck[*fault].replica == Some(number))
    }

    /// Whoever is at work for this job, once somebody is; nobody, where that does not come about in two of its slots.
    async fn at_work(&self, job: &str, every: i64, well: &[usize]) -> Option<usize> {
        let alive = "SELECT replica FROM marks AS first WHERE job = $1 AND what = 'start' AND n = (SELECT max(n) FROM marks \
                     WHERE job = $1 AND what = 'start') AND NOT EXISTS (SELECT FROM marks WHERE run = first.run AND what = 'end')";
        let until = self.scene.clock.millis() + 2 * every * MINUTE;
        while self.scene.clock.millis() < until {
            let alive = sqlx::query_scalar(alive).bind(job).fetch_optional(self.scene.pool()).await;
            let number: Option<i32> = alive.ok().flatten();
            let index = self.replicas.iter().position(|replica| Some(replica.settings.number) == number);
            if let Some(index) = index.filter(|index| well.contains(index)) {
                return Some(index);
            }
            self.scene.clock.sleep(Duration::from_secs(1)).await;
        }
        None
    }

    /// Writes it down before it happens.
    fn begins(&mut self, fault: Fault, victim: Option<usize>, length: i64) -> usize {
        let (now, replica) = (self.scene.clock.millis(), victim.map(|index| self.replicas[index].settings.number));
        self.struck.push(Struck::since(now, fault, replica));
        self.open.push((self.struck.len() - 1, now + length));
        self.struck.len() - 1
    }

    async fn heal(&mut self, index: usize) {
        self.open.retain(|(open, _)| *open != index);
        let struck = self.struck[index];
        let victim = self.replicas.iter_mut().find(|replica| struck.replica == Some(replica.settings.number));
        match (struck.fault, victim) {
            (Fault::Killed, Some(victim)) => victim.start_again(),
            (Fault::Stopped | Fault::StoppedBriefly, Some(victim)) => {
                // What it writes from here on it writes after it was resumed.
                self.struck[index].until = self.scene.clock.millis();
                return victim.signal("CONT").await;
            }
            (Fault::ClockAhead | Fault::ClockBehind | Fault::ClockDaysAhead | Fault::ClockWithin, Some(victim)) => {
                victim.move_clock(0);
            }
            (fault, _) if fault.cuts_claims() => {
                let proxies = self.replicas.iter().map(|replica| &replica.seat.proxy);
                let left: usize = proxies.clone().map(|proxy| proxy.to_come(Moment::Claim)).sum();
                proxies.for_each(|proxy| proxy.forget_at(Moment::Claim));
                self.struck[index].times = self.struck[index].times.saturating_sub(left);
            }
            _ => {}
        }
        self.struck[index].until = self.scene.clock.millis();
    }

    /// The next claim that the victim writes, or each of them.
    fn cut_claims(&mut self, fault: Fault, victim: Option<usize>, fate: Fate) {
        let index = self.begins(fault, victim, 2 * MINUTE);
        let struck = self.replicas.iter().enumerate().filter(|(index, _)| victim.is_none_or(|victim| victim == *index));
        self.struck[index].times =
            struck.map(|(_, replica)| replica.seat.proxy.script_at(Moment::Claim, [fate])).count();
    }

    fn move_clock(&mut self, fault: Fault, victim: usize, ahead: i64, length: i64) {
        self.begins(fault, Some(victim), length);
        self.replicas[victim].move_clock(ahead);
    }

    /// One after the other is told to end and replaced by one of the other release; the slots go on meanwhile.
    async fn deploy(&mut self, well: Vec<usize>) {
        let index = self.begins(Fault::Deployed, None, 0);
        for victim in well {
            let replica = &mut self.replicas[victim];
            replica.end().await;
            replica.settings.version = match replica.settings.version {
                Version::Long => Version::Short,
                _ => Version::Long,
            };
            replica.start_again();
        }
        self.heal(index).await;
    }
}
