-- What the consolidator has looked at, and in vain, so that it does not look again: an episode
-- that no summary would shorten, or a session of which nothing more can be archived.
CREATE TABLE dream_tried (
    subject    TEXT PRIMARY KEY,
    why        TEXT NOT NULL,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
