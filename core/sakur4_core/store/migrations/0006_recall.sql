-- Words of summaries and of code facts, kept by triggers so that no writer can miss a row.
-- search_text() is the program's own function (recall/words.py), set on every connection.

-- Text and id stand in the table: a vacuum may renumber the rows of `atlas`.
CREATE VIRTUAL TABLE atlas_fts USING fts5 (
    atlas_id UNINDEXED, text, tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER atlas_words_added AFTER INSERT ON atlas
BEGIN
    INSERT INTO atlas_fts (atlas_id, text) VALUES (NEW.atlas_id, search_text(NEW.content));
END;

CREATE TRIGGER atlas_words_changed AFTER UPDATE OF content ON atlas
BEGIN
    UPDATE atlas_fts SET text = search_text(NEW.content) WHERE atlas_id = OLD.atlas_id;
END;

CREATE TRIGGER atlas_words_removed AFTER DELETE ON atlas
BEGIN
    DELETE FROM atlas_fts WHERE atlas_id = OLD.atlas_id;
END;

-- Code only: what tools printed is found by its episode, and imports by what they import.
CREATE VIEW fact_words (fact_row, words) AS
SELECT fact_row, search_text(
    qualified_name || ' ' || coalesce(signature, '') || ' ' || coalesce(file_path, ''))
FROM fact
WHERE source <> 'tool-output' AND kind NOT IN ('import', 'export');

CREATE VIRTUAL TABLE fact_fts USING fts5 (
    text, content = '', tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER fact_words_added AFTER INSERT ON fact
BEGIN
    INSERT INTO fact_fts (rowid, text)
    SELECT fact_row, words FROM fact_words WHERE fact_row = NEW.fact_row;
END;

CREATE TRIGGER fact_words_leaving BEFORE UPDATE OF qualified_name, signature, file_path ON fact
BEGIN
    INSERT INTO fact_fts (fact_fts, rowid, text)
    SELECT 'delete', fact_row, words FROM fact_words WHERE fact_row = OLD.fact_row;
END;

CREATE TRIGGER fact_words_changed AFTER UPDATE OF qualified_name, signature, file_path ON fact
BEGIN
    INSERT INTO fact_fts (rowid, text)
    SELECT fact_row, words FROM fact_words WHERE fact_row = NEW.fact_row;
END;

CREATE TRIGGER fact_words_removed BEFORE DELETE ON fact
BEGIN
    INSERT INTO fact_fts (fact_fts, rowid, text)
    SELECT 'delete', fact_row, words FROM fact_words WHERE fact_row = OLD.fact_row;
END;
