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
    Migration(
        13,
        "sessions work in projects, which can be given back",
        """
-- A project that was removed keeps its number: added again, it is the same one, and its sessions go on.
ALTER TABLE projects ADD COLUMN removed_at INTEGER;
-- A session's folder is matched by its letters with the innermost project of its owner. What lies in none, or leaves
-- it by "..", can only be read.
UPDATE sessions SET project = (
  SELECT p.n FROM projects p
  WHERE p.owner = sessions.owner
    AND (p.folder = sessions.folder
      OR substr(sessions.folder, 1, length(p.folder) + 1) = p.folder || '/')
  ORDER BY length(p.folder) DESC LIMIT 1
) WHERE '/' || folder || '/' NOT LIKE '%/../%';
UPDATE sessions SET container = trim(
  substr(folder, (SELECT length(p.folder) FROM projects p WHERE p.n = sessions.project) + 1), '/'
) WHERE project IS NOT NULL;
""",
    ),
)
