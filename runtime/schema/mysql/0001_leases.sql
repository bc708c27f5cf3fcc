-- steadfast: one row a job, the lease of its current slot. All times are milliseconds since 1970-01-01T00:00:00Z.
-- Run it with your own migrations, or call `MySqlLeases::install()`; safe to run again.
-- The application's user needs SELECT, INSERT and UPDATE on this table.
CREATE TABLE IF NOT EXISTS jobs_leases (
    name        VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, -- the job
    last_slot   BIGINT       NOT NULL,        -- the slot that was claimed last
    lease_until BIGINT,                       -- until when the holder has it; NULL: released
    lease_ms    BIGINT       NOT NULL,        -- the holder's own lease, by which a lie in lease_until is told
    holder      VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- the id of the run that claimed
    prev_slot   BIGINT                        -- the slot before, to hand the last one back
) ENGINE = InnoDB;
