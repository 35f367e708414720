"""The table of projects. A migration that has landed is never edited; a change is a new one."""

from bottega.storage.migrate import Migration

MIGRATIONS = (
    Migration(
        6,
        "projects",
        """
CREATE TABLE projects (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  owner INTEGER NOT NULL REFERENCES people (n) ON DELETE CASCADE,
  name TEXT NOT NULL,
  folder TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (owner, folder)
) STRICT;
""",
    ),
)
