"""The tables of people. A migration that has landed is never edited; a change is a new one."""

from bottega.storage.migrate import Migration

MIGRATIONS = (
    Migration(
        5,
        "people",
        """
CREATE TABLE people (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO people (n, id, name, created_at)
  VALUES (1, 'per_' || lower(hex(randomblob(16))), 'host', unixepoch() * 1000);

-- What proves that somebody is that person; of the pass itself only its hash is kept.
CREATE TABLE passes (
  hash TEXT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  person INTEGER NOT NULL REFERENCES people (n) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX passes_of_person ON passes (person);
""",
    ),
)
