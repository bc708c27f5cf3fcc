// The example's slice in a Worker: trials in D1.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { minute, schema, started } from "./worker.mjs";

const example = join(import.meta.dirname, "../../examples/worker");
const trials = readFileSync(join(example, "migrations/0002_trials.sql"), "utf8").split(/;\s*\n/).filter((text) => text.includes("CREATE"));
const NIGHTLY = "0 3 * * *";
let worker;

before(async () => {
    worker = await started("example", { tables: [schema("0001_leases.sql"), ...trials] });
    const ends = (ago) => minute(ago) / 1000;
    await worker.db.prepare(`insert into trials (id, ends_at) values (1, ${ends(90)}), (2, ${ends(60)}), (3, ${ends(10)})`).run();
});
after(() => worker.stop());

const closed = async () => (await worker.rows("select id from trials where closed = 1 order by id")).map(({ id }) => id);
const mails = async () => (await worker.rows("select key from outbox order by key")).map(({ key }) => key.replace(/@.*/, ""));

test("what is due as of the slot is closed, with its mail", async () => {
    assert.equal((await worker.fire(NIGHTLY, minute(60))).outcome, "ok", worker.lines.join("\n"));
    assert.deepEqual([await closed(), await mails()], [[1, 2], ["trial-1-closed", "trial-2-closed"]]);
});

test("a trial whose mail is refused stays open, and the event is one that failed", async () => {
    const refuse = "create trigger refuse before insert on outbox when new.key like 'trial-3-%' begin select raise(abort, 'refused'); end";
    await worker.db.prepare(refuse).run();
    assert.equal((await worker.fire(NIGHTLY, minute(5))).outcome, "exception");
    assert.deepEqual([await closed(), await mails()], [[1, 2], ["trial-1-closed", "trial-2-closed"]]);
    await worker.db.prepare("drop trigger refuse").run();
    assert.equal((await worker.fire(NIGHTLY, minute(4))).outcome, "ok");
    assert.deepEqual([await closed(), await mails()], [[1, 2, 3], ["trial-1-closed", "trial-2-closed", "trial-3-closed"]]);
});
