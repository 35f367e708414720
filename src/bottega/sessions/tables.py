"""The tables of sessions. A migration that has landed is never edited; a change is a new one."""

from bottega.storage.migrate import Migration

MIGRATIONS = (
    Migration(
        1,
        "sessions",
        """
CREATE TABLE sessions (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL DEFAULT '',
  agent TEXT NOT NULL DEFAULT '',
  folder TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT 'idle',
  needs INTEGER NOT NULL DEFAULT 1,
  last_index INTEGER NOT NULL DEFAULT 0,
  owner_seq INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0,
  holder TEXT,
  beat INTEGER NOT NULL DEFAULT 0,
  takeovers INTEGER NOT NULL DEFAULT 0,
  searched INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_by_update ON sessions (updated_at);

CREATE TABLE events (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (session, idx)
) STRICT;
CREATE INDEX facts_of_session ON events (session, idx) WHERE kind = 0;

CREATE TABLE inbox (
  session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  hash TEXT NOT NULL,
  body BLOB NOT NULL,
  status TEXT NOT NULL DEFAULT 'queued',
  admitted_by TEXT NOT NULL,
  steer INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (session, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_open ON inbox (session, place) WHERE status IN ('queued', 'running');

CREATE TABLE attachments (
  session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  blob TEXT NOT NULL,
  PRIMARY KEY (session, blob)
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_by_blob ON attachments (blob);

-- A row of words has the number of its event as its rowid.
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = "unicode61 remove_diacritics 2");
""",
    ),
    Migration(
        2,
        "asks",
        """
ALTER TABLE sessions ADD COLUMN mode TEXT NOT NULL DEFAULT '';

CREATE TABLE asks (
  id TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  tool_id TEXT NOT NULL,
  body BLOB NOT NULL,
  input BLOB NOT NULL,
  status TEXT NOT NULL DEFAULT 'open',
  reply BLOB,
  granted TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX asks_of_session ON asks (session);
CREATE INDEX asks_open ON asks (session) WHERE status = 'open';

CREATE TABLE client_tools (
  session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  name TEXT NOT NULL,
  spec BLOB NOT NULL,
  PRIMARY KEY (session, name)
) STRICT, WITHOUT ROWID;
""",
    ),
    Migration(
        3,
        "children and what was spent",
        """
ALTER TABLE sessions ADD COLUMN parent INTEGER REFERENCES sessions (n) ON DELETE SET NULL;
ALTER TABLE sessions ADD COLUMN parent_call TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;

CREATE TABLE spent (
  at INTEGER NOT NULL,
  session INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  iterations INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL
) STRICT;
CREATE INDEX spent_by_time ON spent (at);
""",
    ),
    Migration(
        4,
        "owners and tabs",
        """
-- 1 is the person whose home it is: all that was there before anybody else came.
ALTER TABLE sessions ADD COLUMN owner INTEGER NOT NULL DEFAULT 1;
CREATE INDEX sessions_by_owner ON sessions (owner, updated_at);
ALTER TABLE spent ADD COLUMN person INTEGER NOT NULL DEFAULT 1;
ALTER TABLE inbox ADD COLUMN person INTEGER NOT NULL DEFAULT 1;

CREATE TABLE tabs (
  person INTEGER NOT NULL,
  id TEXT NOT NULL,
  session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (person, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tabs_of_session ON tabs (session);
""",
    ),
    Migration(
        7,
        "which model was used",
        """
ALTER TABLE spent ADD COLUMN model TEXT NOT NULL DEFAULT '';
CREATE INDEX spent_by_person ON spent (person, at);
CREATE INDEX spent_by_session ON spent (session);
""",
    ),
    Migration(
        8,
        "how lists tell sessions apart",
        """
ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
-- How its last exchange ended; empty: none has ended yet, or it was not written down.
ALTER TABLE sessions ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
""",
    ),
    Migration(
        9,
        "exchanges that another Bottega answers",
        """
-- Up to its cursor, the log of the session there is carried over.
CREATE TABLE remotes (
  session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  address TEXT NOT NULL,
  agent TEXT NOT NULL,
  project TEXT NOT NULL,
  session_there TEXT NOT NULL,
  cursor INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session, message_id)
) STRICT;
ALTER TABLE asks ADD COLUMN far INTEGER NOT NULL DEFAULT 0;
""",
    ),
    Migration(
        10,
        "sessions work in a container of a project",
        """
-- The number of the project; null: in none, so that the session can only be read.
ALTER TABLE sessions ADD COLUMN project INTEGER;
-- The folder in the project; empty: all of it. `folder` only tells people where that is.
ALTER TABLE sessions ADD COLUMN container TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_by_project ON sessions (project);
""",
    ),
    Migration(
        14,
        "what was imported",
        """
-- Up to this index the log was read from a file: it says what was done elsewhere. 0: all of it happened here.
ALTER TABLE sessions ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
-- An id begins with when it was made, in milliseconds. A session that is older or newer than its id came from a file;
-- what happened here since then begins with its first prompt.
UPDATE sessions SET imported =
  COALESCE((SELECT MIN(idx) - 1 FROM inbox WHERE inbox.session = sessions.n), last_index)
  WHERE substr(id, 5, 12) NOT BETWEEN printf('%012x', max(0, created_at - 60000))
    AND printf('%012x', max(0, created_at + 60000));
""",
    ),
    Migration(
        15,
        "model calls that are under way",
        """
-- 1: some of it was estimated, as no provider has counted it.
ALTER TABLE spent ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0;
-- What each is estimated to use: that counts where its process dies before its end.
CREATE TABLE calls (
  id TEXT NOT NULL PRIMARY KEY,
  at INTEGER NOT NULL,
  session INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  person INTEGER NOT NULL,
  model TEXT NOT NULL
) STRICT, WITHOUT ROWID;
""",
    ),
)
