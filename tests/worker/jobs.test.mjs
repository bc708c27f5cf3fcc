// Jobs of a Worker: slots, leases in D1, failures, and what Cloudflare is told of them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, minute, schema, started } from "./worker.mjs";

const tables = [schema("0001_leases.sql"), "create table runs (job text, slot integer)"];
const NIGHTLY = "0 3 * * *";

describe("one isolate", () => {
    let worker;
    before(async () => void (worker = await started("fixture", { tables })));
    after(() => worker.stop());

    const runs = (job) => worker.rows("select slot from runs where job = ?1 order by rowid", job).then((rows) => rows.map((row) => row.slot));

    test("a slot runs once, and is the minute of the scheduled time", async () => {
        for (const slot of [minute(60), minute(60), minute(61), minute(59)]) {
            assert.equal((await worker.fire(NIGHTLY, slot)).outcome, "ok");
        }
        assert.deepEqual(await runs("exclusive"), [minute(60), minute(59)], "neither twice, nor an earlier one");
        assert.deepEqual(await runs("shared"), [minute(60), minute(60), minute(61), minute(59)], "one that is not exclusive");
        const { last_slot, lease_until, lease_ms } = await worker.lease("exclusive");
        assert.deepEqual({ last_slot, lease_until, lease_ms }, { last_slot: minute(59), lease_until: null, lease_ms: 360_000 });
        const [types] = await worker.rows("select typeof(last_slot) as slot, typeof(lease_ms) as lease from jobs_leases");
        assert.deepEqual(types, { slot: "integer", lease: "integer" }, "though every number of JavaScript's is a real");
    });

    test("a lease that is held keeps the next slot from running", async () => {
        const before = await runs("exclusive");
        await worker.db.prepare("update jobs_leases set lease_until = ?1, holder = 'another' where name = 'exclusive'").bind(Date.now() + 60_000).run();
        assert.equal((await worker.fire(NIGHTLY, minute(30))).outcome, "ok", "which is no failure");
        assert.deepEqual(await runs("exclusive"), before);
        await worker.db.prepare("update jobs_leases set lease_until = ?1 where name = 'exclusive'").bind(Date.now() - 1).run();
        assert.equal((await worker.fire(NIGHTLY, minute(30))).outcome, "ok");
        assert.deepEqual(await runs("exclusive"), [...before, minute(30)], "and the one after it has run out does");
    });

    test("a pause keeps slots from running", async () => {
        await worker.db.prepare("update jobs_leases set paused_at = ?1, pause_reason = 'the provider is down' where name = 'exclusive'").bind(Date.now()).run();
        const before = await runs("exclusive");
        assert.equal((await worker.fire(NIGHTLY, minute(20))).outcome, "ok");
        assert.deepEqual(await runs("exclusive"), before);
        await worker.db.prepare("update jobs_leases set paused_at = null, pause_reason = null where name = 'exclusive'").run();
    });

    test("the lease of a job that timed out runs out, and is not released", async () => {
        const from = Date.now();
        assert.equal((await worker.fire("1 3 * * *", minute(50))).outcome, "exception");
        assert.ok(Date.now() - from < 30_000, "it would have slept for an hour");
        assert.deepEqual(await runs("slow"), [minute(50)]);
        assert.ok((await worker.lease("slow")).lease_until > from + 55_000, "timeout and a minute");
        assert.equal((await worker.fire("1 3 * * *", minute(49))).outcome, "ok", "held");
        assert.deepEqual(await runs("slow"), [minute(50)]);
        await worker.db.prepare("update jobs_leases set lease_until = ?1 where name = 'slow'").bind(Date.now() - 1).run();
        assert.equal((await worker.fire("1 3 * * *", minute(49))).outcome, "exception", "it runs, and times out again");
        assert.deepEqual(await runs("slow"), [minute(50), minute(49)]);
        await eventually("the line", () => worker.lines.filter((line) => line.includes("timed out and was dropped")).length === 2);
    });

    test("a job that fails is told to Cloudflare, is released, and stops no other of its line", async () => {
        assert.equal((await worker.fire("2 3 * * *", minute(50))).outcome, "exception");
        assert.deepEqual([await runs("fails"), await runs("beside")], [[minute(50)], [minute(50)]]);
        assert.equal((await worker.lease("fails")).lease_until, null);
        const lines = () => worker.lines.filter((line) => line.includes("the job failed"));
        await eventually("the line", () => lines().length > 0);
        assert.equal(lines().length, 1);
        assert.match(lines()[0], /D1_ERROR: near \\?"no/, "D1's own words");
    });

    test("a line that no job has is an error that names the lines there are", async () => {
        assert.equal((await worker.fire("9 9 * * *", minute(50))).outcome, "exception");
        await eventually("the error", () => worker.lines.some((line) => line.includes("no job of this registry has the cron line `9 9 * * *`")));
        assert.ok(worker.lines.some((line) => line.includes("`0 3 * * *`, `1 3 * * *`")));
    });

    test("a panic ends the event as failed, at once, and the next one runs", async () => {
        const from = Date.now();
        assert.equal((await worker.fire("10 3 * * *", minute(50))).outcome, "exception");
        assert.ok(Date.now() - from < 60_000, "the job beside it would have slept for minutes");
        await eventually("the hook of the application", () => worker.lines.some((line) => line.includes("told of a panic")));
        assert.ok((await worker.lease("panics")).lease_until > from + 300_000, "its lease runs out");
        assert.equal((await worker.fire(NIGHTLY, minute(3))).outcome, "ok");
        assert.ok((await runs("exclusive")).includes(minute(3)));
    });

    test("waits without length leave room for a timeout", async () => {
        const from = Date.now();
        assert.equal((await worker.fire("11 3 * * *", minute(50))).outcome, "exception");
        assert.ok(Date.now() - from < 30_000);
    });

    test("a call is retried after its gaps, within its deadline", async () => {
        assert.equal((await worker.fire("9 3 * * *", minute(50))).outcome, "ok", worker.lines.join("\n"));
    });

    test("a table of another name is missed, installed, and found", async () => {
        assert.equal((await worker.fire("3 3 * * *", minute(50))).outcome, "ok", worker.lines.join("\n"));
        assert.deepEqual(await runs("install"), [minute(50)]);
    });

    test("D1 keeps the rules that every lease store keeps", async () => {
        assert.equal((await worker.fire("4 3 * * *", minute(50))).outcome, "ok", worker.lines.join("\n"));
        assert.deepEqual(await runs("rules"), [minute(50)]);
    });
});

test("of sixteen fires in two isolates on one D1, one runs the slot", async () => {
    const worker = await started("fixture", { tables, isolates: [{}, {}] });
    try {
        const fires = Array.from({ length: 16 }, (_, n) => worker.fire(NIGHTLY, minute(10) + n, n % 2));
        assert.deepEqual(new Set((await Promise.all(fires)).map(({ outcome }) => outcome)), new Set(["ok"]));
        const count = async (job) => (await worker.rows("select count(*) as n from runs where job = ?1", job))[0].n;
        assert.deepEqual([await count("exclusive"), await count("shared")], [1, 16]);
    } finally {
        await worker.stop();
    }
});

test("with D1 down an exclusive job does not run, one line says so, and nothing is retried", async () => {
    const worker = await started("fixture", { tables, isolates: [{ BROKEN: "all" }] });
    try {
        assert.equal((await worker.fire(NIGHTLY, minute(10))).outcome, "exception");
        assert.equal(await worker.lease("exclusive"), null);
        assert.deepEqual(await worker.rows("select * from runs"), []);
        await eventually("the line", () => worker.lines.some((line) => line.includes("the slot could not be claimed")));
        const of = (part) => worker.lines.filter((line) => line.includes(part));
        assert.equal(of("job=\"exclusive\"").length, 1, worker.lines.join("\n"));
        assert.match(of("the slot could not be claimed")[0], /unclassified.*Network connection lost/);
        const asked = of("D1 was asked").map((line) => line.replace(/^.*D1 was asked: (\w+).*$/, "$1"));
        // The read of the claim, and, since that may have arrived all the same, its release; and the statement of the other job.
        assert.deepEqual(asked.sort(), ["SELECT", "UPDATE", "insert"]);
    } finally {
        await worker.stop();
    }
});

test("jobs that cannot be made end the event as failed, without what is secret", async () => {
    const worker = await started("fixture", { tables, isolates: [{ JOBS: "none" }] });
    try {
        assert.equal((await worker.fire(NIGHTLY, minute(10))).outcome, "exception");
        await eventually("the line", () => worker.lines.some((line) => line.includes("a scheduled event ran no job")));
        assert.match(worker.lines.join("\n"), /the jobs could not be made: no jobs, said/);
        assert.doesNotMatch(worker.lines.join("\n"), /secret/);
    } finally {
        await worker.stop();
    }
});

test("a D1 that does not answer keeps an exclusive job from running, for a bounded time", async () => {
    const worker = await started("fixture", { tables, isolates: [{ BROKEN: "silent" }] });
    try {
        const from = Date.now();
        assert.equal((await worker.fire(NIGHTLY, minute(10))).outcome, "exception");
        assert.ok(Date.now() - from < 120_000, "the claim and its release, ten seconds each");
        await eventually("the line", () => worker.lines.some((line) => line.includes("D1 did not answer within 10s")));
        assert.deepEqual((await worker.rows("select job from runs")).map(({ job }) => job), ["shared"]);
    } finally {
        await worker.stop();
    }
});
