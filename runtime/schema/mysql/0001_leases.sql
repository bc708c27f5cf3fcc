-- steadfast: one row a job, the lease of its current slot. All times are milliseconds since 1970-01-01T00:00:00Z.
-- Run it with your own migrations, or call `MySqlLeases::install()`; safe to run again.
-- The application's user needs SELECT, INSERT and UPDATE on this table.
CREATE TABLE IF NOT EXISTS jobs_leases (
    name         VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, -- the job
    last_slot    BIGINT       NOT NULL,        -- the slot that was claimed last; -1: none yet; no whole minute: handed back
    lease_until  BIGINT,                       -- until when the holder has it; NULL: released
    lease_ms     BIGINT       NOT NULL,        -- the holder's own lease, by which a lie in lease_until is told
    holder       VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- the id of the run that claimed; empty: handed back
    prev_slot    BIGINT,                       -- the slot before, which stays taken when the last one is handed back
    paused_at    BIGINT,                       -- since when no slot can be claimed; NULL: not paused
    pause_reason TEXT    CHARACTER SET utf8mb4 -- why not
) ENGINE = InnoDB;
