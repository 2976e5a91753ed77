-- The Semantic Atlas, the Anchor Set, folds and proposals.

CREATE TABLE atlas (
    atlas_id    TEXT PRIMARY KEY,
    content     TEXT NOT NULL,
    origin      TEXT NOT NULL CHECK (origin IN ('api', 'dream', 'fold')),
    session_id  TEXT,
    token_count INTEGER NOT NULL,
    created_at  TEXT NOT NULL,
    retired_at  TEXT,
    retired_why TEXT
);

CREATE TABLE atlas_anchor (
    atlas_id       TEXT NOT NULL REFERENCES atlas (atlas_id),
    anchor_type    TEXT NOT NULL CHECK (anchor_type IN ('fact', 'episode', 'file')),
    anchor_id      TEXT NOT NULL,
    hash_at_write  TEXT NOT NULL,
    value_at_write TEXT NOT NULL,
    PRIMARY KEY (atlas_id, anchor_type, anchor_id)
) WITHOUT ROWID;
CREATE INDEX atlas_anchor_by_target ON atlas_anchor (anchor_type, anchor_id);

-- A summary without an anchor that exists is refused, whoever writes it. An import may run
-- before the code was indexed: a missing anchor reads as stale, so it takes them as they are.
CREATE TRIGGER atlas_anchor_exists BEFORE INSERT ON atlas_anchor
WHEN NOT CASE NEW.anchor_type
    WHEN 'fact' THEN EXISTS (SELECT 1 FROM fact WHERE fact_id = NEW.anchor_id)
        OR EXISTS (SELECT 1 FROM fact_move WHERE old_id = NEW.anchor_id)
    WHEN 'episode' THEN EXISTS (SELECT 1 FROM episode WHERE episode_id = NEW.anchor_id)
    ELSE EXISTS (SELECT 1 FROM file WHERE path = NEW.anchor_id)
END AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'importing')
BEGIN
    SELECT RAISE(ABORT, 'an atlas anchor must exist');
END;

-- What an anchor's hash is now; no row where the anchored thing is gone.
CREATE VIEW anchor_now (anchor_type, anchor_id, hash, value, name, file_path, line) AS
SELECT 'fact', fact_id,
       coalesce(interface_hash || ':' || body_hash, value, signature, ''),
       coalesce(signature, value, ''), qualified_name, file_path, line_start
FROM fact
UNION ALL
SELECT 'fact', m.old_id,
       coalesce(f.interface_hash || ':' || f.body_hash, f.value, f.signature, ''),
       coalesce(f.signature, f.value, ''), f.qualified_name, f.file_path, f.line_start
FROM fact_move m JOIN fact f ON f.fact_id = m.new_id
UNION ALL
SELECT 'episode', e.episode_id, e.content_hash, substr(e.content, 1, 400),
       '#' || e.seq, NULL, NULL
FROM episode e JOIN episode_state s USING (seq)
WHERE s.superseded_by IS NULL AND NOT EXISTS (SELECT 1 FROM redaction r WHERE r.seq = e.seq)
UNION ALL
SELECT 'file', path, coalesce(hash, ''), path, path, path, NULL
FROM file;

-- Joined table by table: a join with the union above would build all of it at each read.
CREATE VIEW atlas_staleness AS
SELECT a.*, (a.hash_now IS NULL OR a.hash_now <> a.hash_at_write) AS stale
FROM (
    SELECT w.atlas_id, w.anchor_type, w.anchor_id, w.hash_at_write, w.value_at_write,
           CASE WHEN f.fact_id IS NOT NULL THEN
               coalesce(f.interface_hash || ':' || f.body_hash, f.value, f.signature, '')
           END AS hash_now,
           CASE WHEN f.fact_id IS NOT NULL THEN coalesce(f.signature, f.value, '') END AS value_now,
           f.qualified_name AS name, f.file_path, f.line_start AS line
    FROM atlas_anchor w JOIN atlas t ON t.atlas_id = w.atlas_id AND t.retired_at IS NULL
    LEFT JOIN fact_move m ON m.old_id = w.anchor_id
    LEFT JOIN fact f ON f.fact_id = coalesce(m.new_id, w.anchor_id)
    WHERE w.anchor_type = 'fact'
    UNION ALL
    SELECT w.atlas_id, w.anchor_type, w.anchor_id, w.hash_at_write, w.value_at_write,
           CASE WHEN s.superseded_by IS NULL AND r.seq IS NULL THEN e.content_hash END,
           substr(e.content, 1, 400), '#' || e.seq, NULL, NULL
    FROM atlas_anchor w JOIN atlas t ON t.atlas_id = w.atlas_id AND t.retired_at IS NULL
    LEFT JOIN episode e ON e.episode_id = w.anchor_id
    LEFT JOIN episode_state s ON s.seq = e.seq
    LEFT JOIN redaction r ON r.seq = e.seq
    WHERE w.anchor_type = 'episode'
    UNION ALL
    SELECT w.atlas_id, w.anchor_type, w.anchor_id, w.hash_at_write, w.value_at_write,
           CASE WHEN p.path IS NOT NULL THEN coalesce(p.hash, '') END, p.path, p.path, p.path, NULL
    FROM atlas_anchor w JOIN atlas t ON t.atlas_id = w.atlas_id AND t.retired_at IS NULL
    LEFT JOIN file p ON p.path = w.anchor_id
    WHERE w.anchor_type = 'file'
) a;

CREATE TABLE anchor (
    anchor_id      TEXT PRIMARY KEY,
    kind           TEXT NOT NULL CHECK (kind IN (
        'user_correction', 'safety_constraint', 'task_contract')),
    scope          TEXT NOT NULL CHECK (scope IN ('project', 'session')),
    content        TEXT NOT NULL,
    session_id     TEXT,
    pinned_by      TEXT NOT NULL,
    token_cost     INTEGER NOT NULL,
    created_at     TEXT NOT NULL,
    expires_at     TEXT,
    unpinned_at    TEXT,
    unpinned_by    TEXT,
    replaced_by    TEXT,
    source_episode TEXT,
    CHECK (scope = 'project' OR session_id IS NOT NULL)
);
CREATE INDEX anchor_active ON anchor (created_at) WHERE unpinned_at IS NULL;

CREATE TABLE fold (
    fold_id          TEXT PRIMARY KEY,
    session_id       TEXT NOT NULL REFERENCES session (session_id),
    description      TEXT NOT NULL,
    goal             TEXT NOT NULL,
    status           TEXT NOT NULL CHECK (status IN ('open', 'closed', 'unfolded')),
    summary          TEXT,
    atlas_id         TEXT,
    first_seq        INTEGER NOT NULL,
    tokens_reclaimed INTEGER NOT NULL DEFAULT 0,
    created_at       TEXT NOT NULL,
    closed_at        TEXT
);
CREATE INDEX fold_open ON fold (session_id) WHERE status = 'open';

CREATE TABLE proposal (
    proposal_id   TEXT PRIMARY KEY,
    kind          TEXT NOT NULL CHECK (kind IN ('eviction', 'anchor', 'unpin')),
    status        TEXT NOT NULL CHECK (status IN (
        'pending', 'approved', 'rejected', 'applied', 'expired', 'undone', 'failed')),
    session_id    TEXT,
    payload       TEXT NOT NULL,
    base_revision TEXT NOT NULL,
    asked_by      TEXT NOT NULL,
    created_at    TEXT NOT NULL,
    expires_at    TEXT NOT NULL,
    decided_by    TEXT,
    decided_at    TEXT,
    reason        TEXT,
    replaced_by   TEXT,
    effect        TEXT,
    undo          TEXT
);
CREATE INDEX proposal_by_status ON proposal (status, created_at);
