-- Code edges, rebuilt by source file. An unresolved call keeps its name and no target.
CREATE TABLE code_edge (
    edge_row   INTEGER PRIMARY KEY,
    file_id    INTEGER NOT NULL REFERENCES file (file_id),
    source_row INTEGER,
    target_row INTEGER,
    name       TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('calls', 'imports', 'inherits', 'references')),
    line       INTEGER NOT NULL,
    confidence TEXT NOT NULL CHECK (confidence IN ('exact', 'probable', 'unresolved')),
    seen_hash  TEXT
);
CREATE INDEX code_edge_by_file ON code_edge (file_id);
CREATE INDEX code_edge_by_target ON code_edge (target_row) WHERE target_row IS NOT NULL;
CREATE INDEX code_edge_by_name ON code_edge (name) WHERE target_row IS NULL;
