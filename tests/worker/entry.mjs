// The Worker: what Cloudflare calls, and a D1 that fails where `BROKEN` says so. It stands beside the module that `bindgen` made.

import * as rust from "./index.js";

// Longer than any patience.
const silence = () => new Promise((resume) => setTimeout(resume, 600_000));

const lost = () => Promise.reject(new Error("D1_ERROR: Network connection lost."));

// workers-rs knows D1 by the name of its class.
class D1Database {
    constructor(database, broken) {
        Object.assign(this, { database, broken });
    }

    prepare(sql) {
        // The reads of the leases alone are not answered by one that is silent.
        const isBroken = this.broken === "all" || (this.broken === "silent" && sql.includes("jobs_leases"));
        if (!isBroken) return this.database.prepare(sql);
        const ask = () => {
            console.log(`D1 was asked: ${sql}`);
            return this.broken === "silent" ? silence() : lost();
        };
        const statement = { bind: () => statement, first: ask, run: ask, all: ask, raw: ask };
        return statement;
    }

    async batch(statements) {
        console.log("D1 was asked: a batch");
        if (this.broken === "silent") return silence();
        // The acknowledgement alone is lost.
        if (this.broken === "answer") await this.database.batch(statements);
        return lost();
    }
}

export default {
    scheduled(event, env, context) {
        const given = env.BROKEN ? { ...env, DB: new D1Database(env.DB, env.BROKEN) } : env;
        return rust.scheduled(event, given, context);
    },
};
