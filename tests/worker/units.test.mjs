// Atomic units of a D1 batch. What a unit returns is checked in the Worker: its job fails where that is wrong, and the console says what.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, minute, schema, started } from "./worker.mjs";

const tables = [schema("0001_leases.sql"), "create table pairs (side text, id integer, unique (side, id))"];

describe("units on D1", () => {
    let worker;
    before(async () => void (worker = await started("fixture", { tables })));
    after(() => worker.stop());

    for (const [cron, what] of [
        ["5 3 * * *", "a unit applies all of its statements, and then what was left for after"],
        ["6 3 * * *", "a batch that D1 refuses applies nothing, is in doubt, and is not replayed"],
        ["7 3 * * *", "a body that fails or takes too long sends nothing"],
    ]) {
        test(what, async () => {
            assert.equal((await worker.fire(cron, minute(10))).outcome, "ok", worker.lines.join("\n"));
        });
    }
});

// One after the other: the isolates share their D1.
for (const [broken, rows] of [["batch", 0], ["answer", 2]]) {
    test(`a connection lost at the batch is in doubt and not replayed, with ${rows} rows applied`, async () => {
        const worker = await started("fixture", { tables, isolates: [{ BROKEN: broken }] });
        try {
            assert.equal((await worker.fire("8 3 * * *", minute(10))).outcome, "exception");
            await eventually("the line", () => worker.lines.some((line) => line.includes("atomic unit failed")));
            const of = (part) => worker.lines.filter((line) => line.includes(part));
            assert.equal(of("atomic unit failed").length, 1);
            assert.match(of("atomic unit failed")[0], /attempts=1 .*kind="other" phase="commit" outcome="in_doubt"/);
            assert.equal(of("D1 was asked: a batch").length, 1, "the policy names a lost connection, and D1 never says so");
            assert.equal((await worker.rows("select * from pairs")).length, rows);
        } finally {
            await worker.stop();
        }
    });
}

test("a batch that is not answered is in doubt when its time is over", async () => {
    const worker = await started("fixture", { tables, isolates: [{ BROKEN: "silent" }] });
    try {
        assert.equal((await worker.fire("12 3 * * *", minute(10))).outcome, "ok", worker.lines.join("\n"));
        assert.equal((await worker.fire("13 3 * * *", minute(10))).outcome, "exception");
        await eventually("the line", () => worker.lines.some((line) => line.includes("cancelled during COMMIT")));
        assert.equal(worker.lines.filter((line) => line.includes("D1 was asked: a batch")).length, 3);
        assert.deepEqual(await worker.rows("select * from pairs"), []);
    } finally {
        await worker.stop();
    }
});
