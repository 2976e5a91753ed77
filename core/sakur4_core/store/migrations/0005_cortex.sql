-- The code index beside the facts: what each file's names mean, its words, and its edges.

-- `scopes` and `uses` are compressed JSON: all that linking needs, so that a change in one
-- file relinks others without parsing them again.
CREATE TABLE code_unit (
    file_id  INTEGER PRIMARY KEY REFERENCES file (file_id),
    text_row INTEGER NOT NULL UNIQUE,
    scopes   BLOB NOT NULL,
    uses     BLOB NOT NULL,
    unlinked INTEGER NOT NULL DEFAULT 1,
    fresh    TEXT NOT NULL  -- JSON: rows of facts that changed since the unit was linked
);
CREATE INDEX code_unit_unlinked ON code_unit (file_id) WHERE unlinked = 1;

-- Edges are rebuilt by source file. An unresolved call keeps its name and has no target.
CREATE TABLE code_edge (
    edge_row   INTEGER PRIMARY KEY,
    file_id    INTEGER NOT NULL REFERENCES file (file_id),
    source_row INTEGER NOT NULL,
    target_row INTEGER,
    name       TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('calls', 'imports', 'inherits', 'references')),
    line       INTEGER NOT NULL,
    confidence TEXT NOT NULL CHECK (confidence IN ('exact', 'probable', 'unresolved')),
    seen_hash  TEXT
);
CREATE INDEX code_edge_by_file ON code_edge (file_id);
CREATE INDEX code_edge_by_target ON code_edge (target_row) WHERE target_row IS NOT NULL;
CREATE INDEX code_edge_by_name ON code_edge (name);

-- Words of parsed files. Contentless: a new version of a file gets a new row, and a row that no
-- unit names is dead.
CREATE VIRTUAL TABLE code_fts USING fts5 (
    path, names, body, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
