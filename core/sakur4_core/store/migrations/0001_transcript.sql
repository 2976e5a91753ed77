-- The store's identity, its transcript, and the trail of everything that happens to it.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE session (
    session_id     TEXT PRIMARY KEY,
    harness        TEXT NOT NULL,
    parent_session TEXT REFERENCES session (session_id),
    slot_id        INTEGER,
    model          TEXT,
    branch         TEXT,
    title          TEXT,
    created_at     TEXT NOT NULL,
    last_seen_at   TEXT NOT NULL
);

-- Content never changes: only `redact` may turn it into a tombstone, and only beside a
-- row of `redaction`. What does change lives in episode_state.
CREATE TABLE episode (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    episode_id      TEXT NOT NULL UNIQUE,
    session_id      TEXT NOT NULL REFERENCES session (session_id),
    turn            INTEGER NOT NULL,
    role            TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    content         TEXT NOT NULL,
    tool_name       TEXT,
    tool_call_id    TEXT,
    token_count     INTEGER NOT NULL,
    origin          TEXT NOT NULL,
    created_at      TEXT NOT NULL,
    idempotency_key TEXT,
    content_hash    TEXT NOT NULL,
    chain_hash      TEXT NOT NULL
);
CREATE INDEX episode_by_session ON episode (session_id, seq);
CREATE UNIQUE INDEX episode_by_key ON episode (session_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX episode_by_call ON episode (session_id, tool_call_id) WHERE tool_call_id IS NOT NULL;

CREATE TABLE episode_state (
    seq           INTEGER PRIMARY KEY REFERENCES episode (seq),
    tier          TEXT NOT NULL DEFAULT 'live'
        CHECK (tier IN ('live', 'masked', 'referenced', 'archived', 'dropped')),
    droppable     INTEGER NOT NULL DEFAULT 0,
    superseded_by TEXT,
    fold_id       TEXT,
    in_window     TEXT NOT NULL DEFAULT 'yes' CHECK (in_window IN ('yes', 'no', 'unknown'))
);
CREATE INDEX episode_state_evicted ON episode_state (tier) WHERE tier <> 'live';
CREATE INDEX episode_state_fold ON episode_state (fold_id) WHERE fold_id IS NOT NULL;

CREATE TABLE redaction (
    seq        INTEGER PRIMARY KEY REFERENCES episode (seq),
    tombstone  TEXT NOT NULL,
    reason     TEXT NOT NULL,
    created_at TEXT NOT NULL
);

CREATE TRIGGER episode_no_delete BEFORE DELETE ON episode
BEGIN
    SELECT RAISE(ABORT, 'episodes are append-only');
END;

CREATE TRIGGER episode_no_replace BEFORE INSERT ON episode
WHEN EXISTS (
    SELECT 1 FROM episode
    WHERE seq = NEW.seq OR episode_id = NEW.episode_id
       OR (idempotency_key IS NOT NULL AND idempotency_key = NEW.idempotency_key
           AND session_id = NEW.session_id)
)
BEGIN
    SELECT RAISE(ABORT, 'episodes are append-only');
END;

CREATE TRIGGER episode_no_update BEFORE UPDATE ON episode
WHEN NOT (
    NEW.content IS (SELECT tombstone FROM redaction WHERE seq = OLD.seq)
    AND NEW.seq IS OLD.seq AND NEW.episode_id IS OLD.episode_id
    AND NEW.session_id IS OLD.session_id AND NEW.turn IS OLD.turn AND NEW.role IS OLD.role
    AND NEW.tool_name IS OLD.tool_name AND NEW.tool_call_id IS OLD.tool_call_id
    AND NEW.token_count IS OLD.token_count AND NEW.origin IS OLD.origin
    AND NEW.created_at IS OLD.created_at AND NEW.idempotency_key IS OLD.idempotency_key
    AND NEW.content_hash IS OLD.content_hash AND NEW.chain_hash IS OLD.chain_hash
)
BEGIN
    SELECT RAISE(ABORT, 'episodes are append-only');
END;

CREATE TRIGGER redaction_no_update BEFORE UPDATE ON redaction
BEGIN
    SELECT RAISE(ABORT, 'redactions are append-only');
END;

CREATE TRIGGER redaction_no_delete BEFORE DELETE ON redaction
BEGIN
    SELECT RAISE(ABORT, 'redactions are append-only');
END;

-- Counts by other counters than the commit's own (a llama.cpp server, a calibrated one).
CREATE TABLE token_count (
    seq     INTEGER NOT NULL REFERENCES episode (seq),
    counter TEXT NOT NULL,
    tokens  INTEGER NOT NULL,
    PRIMARY KEY (seq, counter)
) WITHOUT ROWID;

CREATE TABLE event (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,
    created_at TEXT NOT NULL,
    actor      TEXT NOT NULL,
    session_id TEXT,
    subject    TEXT,
    detail     TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX event_by_kind ON event (kind, seq);

-- Words of episodes, identifiers split. Contentless: the text stands in `episode` only.
CREATE VIRTUAL TABLE episode_fts USING fts5 (
    text, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Merge eight segments at once instead of four: half the merging, and no commit waits for long.
INSERT INTO episode_fts (episode_fts, rank) VALUES ('automerge', 8);
