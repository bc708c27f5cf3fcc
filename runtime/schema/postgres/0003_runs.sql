-- steadfast: one row a run of a job, for people. All times are milliseconds since 1970-01-01T00:00:00Z.
-- Run it with your own migrations, or call `RunHistory::install()`; safe to run again.
-- The application's role needs SELECT, INSERT, UPDATE and DELETE on this table.
CREATE TABLE IF NOT EXISTS jobs_runs (
    name       TEXT   NOT NULL, -- the job
    started_at BIGINT NOT NULL, -- when it was called
    run        TEXT   NOT NULL, -- the id of the run: of an exclusive job the holder of the lease
    slot       BIGINT NOT NULL, -- the slot that it was called with
    started_by TEXT   NOT NULL, -- timer, catch_up, taken_over, external or manual
    ended_at   BIGINT,          -- when it ended; NULL: it runs, or its process is gone
    outcome    TEXT,            -- completed, failed, timed_out, panicked, cancelled or lease_lost
    error      TEXT,            -- what the log says of a failure or a panic
    PRIMARY KEY (name, started_at, run)
);
