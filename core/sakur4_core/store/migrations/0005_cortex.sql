-- The code index beside the facts: what each file's names mean, its words, and its edges.

-- `surface` is what others may ask of a file, `uses` what it uses itself: packed by the cortex,
-- and all that linking needs, so that a change in one file relinks others without parsing them.
CREATE TABLE code_unit (
    file_id     INTEGER PRIMARY KEY REFERENCES file (file_id),
    text_row    INTEGER NOT NULL,  -- the module's row of code_fts; the others follow
    definitions INTEGER NOT NULL,
    passages    INTEGER NOT NULL,
    rows        BLOB NOT NULL,  -- the fact of each definition, in the unit's order
    surface     BLOB NOT NULL,
    uses        BLOB NOT NULL
);
CREATE UNIQUE INDEX code_unit_text ON code_unit (text_row, definitions, passages);

-- What linking a file came to. The lists are of 32-bit numbers, short enough that all files'
-- are looked through to find whom a change concerns.
CREATE TABLE code_link (
    file_id INTEGER PRIMARY KEY REFERENCES file (file_id),
    waiting INTEGER NOT NULL,
    fresh   BLOB NOT NULL,  -- facts that changed since the file was linked
    asked   BLOB NOT NULL,  -- names that were looked for in other files
    missing BLOB NOT NULL,  -- the name of each use whose target is not known
    targets BLOB NOT NULL   -- facts that the file's edges lead to
);
CREATE INDEX code_link_waiting ON code_link (file_id) WHERE waiting = 1;

-- Edges are rebuilt by source file: one row for all uses of a fact in a file. `uses` holds, for
-- each, the fact that uses it, line with kind and confidence, and the surface it saw.
CREATE TABLE code_edge (
    target_row INTEGER NOT NULL,
    file_id    INTEGER NOT NULL REFERENCES file (file_id),
    uses       BLOB NOT NULL,
    PRIMARY KEY (target_row, file_id)
) WITHOUT ROWID;

-- Words of parsed files, a row a definition: of its own lines, without those of definitions inside
-- it; the path's words stand with the module's. The row's number less the unit's text_row is the
-- definition's index. Contentless: a new version of a file gets new rows, and rows that no unit
-- names are dead. Files that are ranked below what they are about have rows from 2^40 on.
CREATE VIRTUAL TABLE code_fts USING fts5 (
    folder, file, body, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);
