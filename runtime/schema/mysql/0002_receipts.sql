-- steadfast: one row a unit and key, written in the unit's own transaction: the unit was applied under this key.
-- Run it with your own migrations, or call `Receipts::install()`; safe to run again.
-- The application's role needs SELECT, INSERT and UPDATE on this table, and DELETE to prune it.
-- Bytes, because collations take keys for equal that differ, in trailing blanks for example.
CREATE TABLE IF NOT EXISTS unit_receipts (
    unit       VARBINARY(512)  NOT NULL,      -- the path of the function
    `key`      VARBINARY(1024) NOT NULL,      -- the parameter that `idempotent = receipt(…)` names
    result     LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, -- what the unit returned, as JSON
    created_at BIGINT          NOT NULL,      -- milliseconds since 1970-01-01T00:00:00Z
    PRIMARY KEY (unit, `key`)
) ENGINE = InnoDB;
