-- Words of summaries and of code facts. Triggers keep them true to their rows, whoever writes;
-- search_text() is the program's own function (recall/words.py), set on every connection.

-- A summary's row in the index of words. It stands in a table of its own, since a vacuum may
-- renumber the rows of `atlas`, and FTS5 finds nothing quickly but by its row.
CREATE TABLE atlas_row (
    row      INTEGER PRIMARY KEY,
    atlas_id TEXT NOT NULL UNIQUE
);

CREATE VIRTUAL TABLE atlas_fts USING fts5 (
    text, tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER atlas_words_added AFTER INSERT ON atlas
BEGIN
    INSERT INTO atlas_row (atlas_id) VALUES (NEW.atlas_id);
    INSERT INTO atlas_fts (rowid, text)
    SELECT row, search_text(NEW.content) FROM atlas_row WHERE atlas_id = NEW.atlas_id;
END;

CREATE TRIGGER atlas_words_changed AFTER UPDATE OF content ON atlas
BEGIN
    UPDATE atlas_fts SET text = search_text(NEW.content)
    WHERE rowid = (SELECT row FROM atlas_row WHERE atlas_id = OLD.atlas_id);
END;

CREATE TRIGGER atlas_words_removed AFTER DELETE ON atlas
BEGIN
    DELETE FROM atlas_fts WHERE rowid = (SELECT row FROM atlas_row WHERE atlas_id = OLD.atlas_id);
    DELETE FROM atlas_row WHERE atlas_id = OLD.atlas_id;
END;

CREATE VIRTUAL TABLE fact_fts USING fts5 (
    text, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Code only: what a tool printed is found by its episode, an import by what it imports.
CREATE VIEW fact_words (fact_row, words) AS
SELECT fact_row, search_text(
    qualified_name || ' ' || coalesce(signature, '') || ' ' || coalesce(file_path, ''))
FROM fact
WHERE source <> 'tool-output' AND kind NOT IN ('import', 'export');

-- Recall adds the words in bulk, so that indexing a repository does not pay for them row by
-- row (FTS5 flushes at every statement of a trigger). Rows that have none yet are those
-- without a docsize; a changed row loses its words here and becomes one of them.
CREATE TRIGGER fact_words_outdated BEFORE UPDATE OF qualified_name, signature, file_path ON fact
WHEN (OLD.qualified_name IS NOT NEW.qualified_name OR OLD.signature IS NOT NEW.signature
      OR OLD.file_path IS NOT NEW.file_path)
    AND EXISTS (SELECT 1 FROM fact_fts_docsize WHERE id = OLD.fact_row)
BEGIN
    INSERT INTO fact_fts (fact_fts, rowid, text)
    SELECT 'delete', fact_row, words FROM fact_words WHERE fact_row = OLD.fact_row;
END;

CREATE TRIGGER fact_words_removed BEFORE DELETE ON fact
WHEN EXISTS (SELECT 1 FROM fact_fts_docsize WHERE id = OLD.fact_row)
BEGIN
    INSERT INTO fact_fts (fact_fts, rowid, text)
    SELECT 'delete', fact_row, words FROM fact_words WHERE fact_row = OLD.fact_row;
END;
