-- What was sent, what it cost, and what is known of the prompt cache.

-- All that a receipt or a plan reads of an episode, so that neither walks through contents.
CREATE INDEX episode_window ON episode (
    session_id, seq, episode_id, turn, role, tool_name, tool_call_id, token_count
);

CREATE TABLE usage (
    usage_row         INTEGER PRIMARY KEY,
    session_id        TEXT NOT NULL,
    turn              INTEGER NOT NULL,
    message_id        TEXT,
    after_seq         INTEGER NOT NULL DEFAULT 0,
    context_tokens    INTEGER NOT NULL,
    input_tokens      INTEGER,
    completion_tokens INTEGER,
    cache_read_tokens INTEGER,
    cache_write_tokens INTEGER,
    provider          TEXT,
    model             TEXT,
    counter           TEXT,     -- what local_count was counted with
    local_count       INTEGER,
    epoch             INTEGER NOT NULL DEFAULT 0,  -- compactions of the session before it
    verdict           TEXT,
    cause             TEXT,
    predicted_reuse   INTEGER,  -- tokens, where no cache figures were reported
    price             REAL,
    break_price       REAL,     -- what a broken prefix cost beyond a kept one
    created_at        TEXT NOT NULL
);
CREATE INDEX usage_by_session ON usage (session_id, usage_row);
CREATE INDEX usage_by_model ON usage (model, usage_row);
CREATE UNIQUE INDEX usage_by_message ON usage (session_id, message_id)
    WHERE message_id IS NOT NULL;

CREATE TABLE receipt (
    receipt_row INTEGER PRIMARY KEY,
    receipt_id  TEXT NOT NULL UNIQUE,
    session_id  TEXT NOT NULL,
    turn        INTEGER NOT NULL,
    created_at  TEXT NOT NULL,
    body        TEXT NOT NULL,
    UNIQUE (session_id, turn)
);

-- Real system prompts and tool schemas that a caller submitted.
CREATE TABLE prompt_part (
    session_id TEXT NOT NULL,
    name       TEXT NOT NULL,
    content    TEXT NOT NULL,
    tokens     INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (session_id, name)
) WITHOUT ROWID;

CREATE TABLE compaction (
    compaction_row INTEGER PRIMARY KEY,
    session_id     TEXT NOT NULL,
    after_seq      INTEGER NOT NULL,
    trigger        TEXT,
    pre_tokens     INTEGER,
    created_at     TEXT NOT NULL
);
CREATE INDEX compaction_by_session ON compaction (session_id, after_seq);

-- The prefix ledger: what was last sent to a slot, part by part and episode by episode.
CREATE TABLE slot_state (
    session_id TEXT NOT NULL,
    slot_id    INTEGER NOT NULL,
    segments   TEXT NOT NULL,
    tokens     INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (session_id, slot_id)
) WITHOUT ROWID;

-- Where a slot can resume, as its backend said after the last prompt.
CREATE TABLE checkpoint (
    session_id TEXT NOT NULL,
    slot_id    INTEGER NOT NULL,
    position   INTEGER NOT NULL,
    backend    TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (session_id, slot_id, position)
) WITHOUT ROWID;

CREATE TABLE snapshot (
    snapshot_id TEXT PRIMARY KEY,
    session_id  TEXT NOT NULL,
    slot_id     INTEGER,
    body        TEXT NOT NULL,
    bytes       INTEGER,
    created_at  TEXT NOT NULL
);
