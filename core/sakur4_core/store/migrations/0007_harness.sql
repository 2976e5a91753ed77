-- What was read from harnesses' own transcripts, and how far. Everything here can be read again
-- from the transcripts; what it led to stands in the tables of the transcript and of the window.

-- Each turn once, whatever file, fork or resumed session it was met in.
CREATE TABLE harness_turn (
    key        TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    seq        INTEGER NOT NULL REFERENCES episode (seq),
    kind       TEXT NOT NULL,
    node       TEXT,
    claimed    INTEGER NOT NULL DEFAULT 0   -- whether the agent committed the same turn
) WITHOUT ROWID;
CREATE INDEX harness_turn_by_session ON harness_turn (session_id, seq);
CREATE INDEX harness_turn_by_seq ON harness_turn (seq);
CREATE INDEX harness_turn_by_node ON harness_turn (node) WHERE node IS NOT NULL;

-- Turns that came another way and may be one of a transcript's: few in a session.
CREATE INDEX episode_noted ON episode (session_id, seq) WHERE origin <> 'transcript';

-- The harness's own graph of messages.
CREATE TABLE harness_node (
    node       TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    parent     TEXT,
    message    TEXT,
    origin     TEXT
) WITHOUT ROWID;
CREATE INDEX harness_node_by_message ON harness_node (message) WHERE message IS NOT NULL;

CREATE TABLE harness_leaf (
    session_id TEXT PRIMARY KEY,
    node       TEXT NOT NULL
) WITHOUT ROWID;

-- What a compaction left in the window.
CREATE TABLE harness_kept (
    boundary TEXT NOT NULL,
    node     TEXT NOT NULL,
    PRIMARY KEY (boundary, node)
) WITHOUT ROWID;

-- What moved the window and must do so once: compactions, rollbacks.
CREATE TABLE harness_mark (
    key        TEXT PRIMARY KEY,
    session_id TEXT NOT NULL
) WITHOUT ROWID;

-- Each API call once: the greatest of what its rows said.
CREATE TABLE harness_spend (
    key        TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    sidechain  INTEGER NOT NULL,
    input      INTEGER,
    created    INTEGER,
    read       INTEGER,
    output     INTEGER,
    context    INTEGER
) WITHOUT ROWID;

-- Lines of types that no reader knows, for whoever will.
CREATE TABLE harness_line (
    key        TEXT PRIMARY KEY,
    harness    TEXT NOT NULL,
    name       TEXT NOT NULL,
    raw        TEXT NOT NULL,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX harness_line_by_name ON harness_line (harness, name);

CREATE TABLE harness_file (
    path       TEXT PRIMARY KEY,
    harness    TEXT NOT NULL,
    device     INTEGER NOT NULL,
    inode      INTEGER NOT NULL,
    offset     INTEGER NOT NULL,
    line       INTEGER NOT NULL,
    ended      INTEGER NOT NULL,
    last_hash  TEXT NOT NULL,
    skipped    INTEGER NOT NULL,
    state      TEXT NOT NULL
) WITHOUT ROWID;
