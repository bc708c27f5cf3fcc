-- The slice's own tables. Times are seconds since 1970-01-01T00:00:00Z.
CREATE TABLE trials (
    id      INTEGER NOT NULL PRIMARY KEY,
    ends_at INTEGER NOT NULL,
    closed  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What is to be sent, written with what it tells of.
CREATE TABLE outbox (
    key  TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL
) STRICT;
