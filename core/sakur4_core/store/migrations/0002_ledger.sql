-- The Symbolic Ledger: facts that parsers saw, the files they saw them in, and how they hang
-- together. No column holds a sentence that a model could have written.

CREATE TABLE file (
    file_id    INTEGER PRIMARY KEY,
    path       TEXT NOT NULL UNIQUE,
    language   TEXT,
    hash       TEXT,
    size       INTEGER NOT NULL,
    mtime_ns   INTEGER NOT NULL,
    status     TEXT NOT NULL CHECK (status IN (
        'parsed', 'unsupported', 'too_large', 'binary', 'undecodable', 'timed_out', 'degraded')),
    detail     TEXT NOT NULL DEFAULT '',
    package    TEXT,  -- of a manifest: the name under which its folder is imported
    indexed_at TEXT NOT NULL
);

-- SQLite builds a table of its own for each IN of a CHECK, at every row: text search is cheaper.
CREATE TABLE fact (
    fact_row       INTEGER PRIMARY KEY,
    fact_id        TEXT NOT NULL UNIQUE,
    kind           TEXT NOT NULL CHECK (instr(
        ' function method class struct enum trait interface type constant module import export '
        || ' tool_output_field tool_exit_code http_header json_field csv_column diff_hunk '
        || ' regex_match test_result diagnostic stack_frame vcs_status ',
        ' ' || kind || ' ') > 0),
    qualified_name TEXT NOT NULL,
    file_id        INTEGER REFERENCES file (file_id),
    file_path      TEXT,
    line_start     INTEGER,
    line_end       INTEGER,
    signature      TEXT,
    value          TEXT,
    interface_hash TEXT,
    body_hash      TEXT,
    source         TEXT NOT NULL CHECK (
        source = 'tree-sitter' OR source = 'tool-output' OR source = 'declared'),
    scope          TEXT NOT NULL,
    name           TEXT  -- the last part of a code fact's qualified name
);
CREATE INDEX fact_by_file ON fact (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX fact_by_last_name ON fact (name) WHERE name IS NOT NULL;
CREATE INDEX fact_by_scope ON fact (scope) WHERE source = 'tool-output';

-- Where a fact went that a summary rests on: the same definition in another place, or under
-- another name. Until it turns up again, only what it was is known.
CREATE TABLE fact_move (
    old_id         TEXT PRIMARY KEY,
    new_id         TEXT,
    kind           TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    interface_hash TEXT NOT NULL,
    body_hash      TEXT NOT NULL
) WITHOUT ROWID;

-- Typed relations between things of different kinds; ids carry their own prefix.
CREATE TABLE edge (
    edge_row   INTEGER PRIMARY KEY,
    kind       TEXT NOT NULL CHECK (kind IN (
        'derived_from', 'supersedes', 'folded_from', 'summarises')),
    source_id  TEXT NOT NULL,
    target_id  TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (kind, source_id, target_id)
);
CREATE INDEX edge_by_target ON edge (target_id, kind);
