-- steadfast: one row a job, the lease of its current slot. All times are milliseconds since 1970-01-01T00:00:00Z.
-- Run it with your own migrations, or call `SqliteLeases::install()`; safe to run again.
CREATE TABLE IF NOT EXISTS jobs_leases (
    name         TEXT    NOT NULL PRIMARY KEY, -- the job
    last_slot    INTEGER NOT NULL,             -- the slot that was claimed last; -1: none yet; no whole minute: handed back
    lease_until  INTEGER,                      -- until when the holder has it; NULL: released
    lease_ms     INTEGER NOT NULL,             -- the holder's own lease, by which a lie in lease_until is told
    holder       TEXT    NOT NULL,             -- the id of the run that claimed; empty: handed back
    prev_slot    INTEGER,                      -- the slot before, which stays taken when the last one is handed back
    paused_at    INTEGER,                      -- since when no slot can be claimed; NULL: not paused
    pause_reason TEXT                          -- why not
) STRICT;
