-- steadfast: one row a unit and key, written in the unit's own transaction: the unit was applied under this key.
-- Run it with your own migrations, or call `Receipts::install()`; safe to run again.
CREATE TABLE IF NOT EXISTS unit_receipts (
    unit       TEXT    NOT NULL,              -- the path of the function
    key        TEXT    NOT NULL,              -- the parameter that `idempotent = receipt(…)` names
    result     TEXT    NOT NULL,              -- what the unit returned, as JSON
    created_at INTEGER NOT NULL,              -- milliseconds since 1970-01-01T00:00:00Z
    PRIMARY KEY (unit, key)
) STRICT;
