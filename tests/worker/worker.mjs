// A Worker of steadfast's in workerd, with a D1 of its own, and what its console says.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Miniflare } from "miniflare";

const MINUTE = 60_000;
const root = join(import.meta.dirname, "../..");

// Where a compiled Worker is: `index.js`, `index_bg.wasm` and its `entry.mjs`.
function module(name) {
    const folder = process.env.STEADFAST_WORKERS;
    if (!folder) throw new Error("`STEADFAST_WORKERS` names no folder of compiled Workers; run `tests/run --worker`");
    return join(folder, name);
}

// The text of a table, as the crate ships it.
export const schema = (name) => readFileSync(join(root, "runtime/schema/sqlite", name), "utf8");

// A minute of the last hours: `ago` of them before this one.
const start = Math.floor(Date.now() / MINUTE) * MINUTE;
export const minute = (ago) => start - ago * MINUTE;

// Starts a Worker, or several isolates of it with one D1 between them. `bindings` are those of each.
export async function started(name, { tables = [], isolates = [{}] } = {}) {
    const folder = module(name);
    const lines = [];
    const common = {
        modules: true,
        modulesRoot: folder,
        scriptPath: join(folder, "entry.mjs"),
        modulesRules: [
            { type: "ESModule", include: ["**/*.js", "**/*.mjs"] },
            { type: "CompiledWasm", include: ["**/*.wasm"] },
        ],
        compatibilityDate: "2025-07-01",
        d1Databases: { DB: "shared" },
    };
    const miniflare = new Miniflare({
        host: "127.0.0.1",
        handleRuntimeStdio(out, error) {
            for (const stream of [out, error]) createInterface(stream).on("line", (line) => lines.push(line));
        },
        workers: isolates.map((bindings, n) => ({ ...common, name: `isolate-${n}`, bindings })),
    });
    await miniflare.ready;
    const db = await miniflare.getD1Database("DB", "isolate-0");
    for (const table of tables) await db.prepare(table).run();
    return {
        db,
        lines,
        // 49 seconds after the minute, as in Cloudflare's own example of an event.
        async fire(cron, slot, isolate = 0) {
            const worker = await miniflare.getWorker(`isolate-${isolate}`);
            return worker.scheduled({ cron, scheduledTime: new Date(slot + 49_000) });
        },
        async rows(sql, ...values) {
            return (await db.prepare(sql).bind(...values).all()).results;
        },
        async lease(job) {
            return db.prepare("select * from jobs_leases where name = ?1").bind(job).first();
        },
        stop: () => miniflare.dispose(),
    };
}

// Waits for what comes on its own: a line of the console is not there when its event has ended.
export async function eventually(what, condition) {
    for (let tries = 0; tries < 3000; tries++) {
        if (condition()) return;
        await new Promise((resume) => setTimeout(resume, 10));
    }
    throw new Error(`never came: ${what}`);
}
