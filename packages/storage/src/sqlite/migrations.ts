/**
 * The database migrations: entry 0 makes version 1, and so on. A released entry never changes; a change to the tables
 * is a new entry. The version is stored in `user_version`.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    task TEXT NOT NULL,
    title TEXT NOT NULL,
    model TEXT NOT NULL,
    workspace TEXT NOT NULL,
    metadata TEXT
  );
  CREATE INDEX sessions_newest ON sessions (created_at, id);

  CREATE TABLE heads (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    updated_at INTEGER NOT NULL,
    last_sequence INTEGER NOT NULL,
    last_event INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    run_id TEXT,
    expires_at INTEGER
  ) WITHOUT ROWID;

  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    epoch INTEGER NOT NULL,
    host TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    pid INTEGER NOT NULL,
    process_started_at TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    status TEXT,
    UNIQUE (session_id, epoch)
  );

  CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    token_count INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    finish_reason TEXT,
    usage TEXT,
    cost REAL,
    model TEXT,
    metadata TEXT,
    UNIQUE (session_id, sequence)
  );

  CREATE TABLE parts (
    key INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    part_index INTEGER NOT NULL,
    type TEXT NOT NULL,
    state TEXT,
    body TEXT NOT NULL,
    UNIQUE (message_id, part_index)
  );

  CREATE TABLE part_chunks (
    key INTEGER PRIMARY KEY,
    part_key INTEGER NOT NULL REFERENCES parts (key) ON DELETE CASCADE,
    text TEXT NOT NULL
  );
  CREATE INDEX part_chunks_of_part ON part_chunks (part_key);

  CREATE TABLE marks (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    body TEXT,
    undone_at INTEGER
  );
  CREATE INDEX marks_of_session ON marks (session_id, key);

  CREATE TABLE compactions (
    id TEXT PRIMARY KEY REFERENCES marks (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    round INTEGER NOT NULL,
    strategy TEXT NOT NULL,
    reason TEXT NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after INTEGER NOT NULL,
    summary_content TEXT NOT NULL,
    hides TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    undone_at INTEGER
  );

  CREATE TABLE queue (
    key INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    content TEXT NOT NULL,
    queued_at INTEGER NOT NULL,
    metadata TEXT,
    state TEXT NOT NULL,
    position INTEGER NOT NULL,
    event_number INTEGER NOT NULL,
    UNIQUE (session_id, id)
  );
  CREATE INDEX queue_waiting ON queue (session_id, state, key);

  CREATE TABLE events (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (session_id, number)
  ) WITHOUT ROWID;

  -- Contentless: a hit's text is read from its part. The row id is the part's key.
  CREATE VIRTUAL TABLE part_search USING fts5 (text, words, content = '', contentless_delete = 1);
  CREATE TRIGGER parts_leave_search AFTER DELETE ON parts BEGIN
    DELETE FROM part_search WHERE rowid = old.key;
  END;
  `,
  `
  ALTER TABLE heads ADD COLUMN expires_uptime INTEGER;

  -- Garbage collection merges the search index, in steps. In the commit that drops a session, the merge took seconds.
  INSERT INTO part_search (part_search, rank) VALUES ('deletemerge', 0);

  -- The state up to which the ledger's facts were computed. It can be recomputed from the messages.
  CREATE TABLE checkpoints (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    fold TEXT NOT NULL
  );

  -- Requests to cancel a run, from any process. The run's own process polls for them.
  CREATE TABLE cancels (
    run_id TEXT PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    clear_queue INTEGER NOT NULL,
    requested_at INTEGER NOT NULL
  ) WITHOUT ROWID;

  -- Windows learned from a server's refusals.
  CREATE TABLE servers (
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    window_tokens INTEGER NOT NULL,
    reported_tokens INTEGER,
    learned_at INTEGER NOT NULL,
    PRIMARY KEY (base_url, model)
  ) WITHOUT ROWID;

  -- Calls that wait for a person's approval, and the answers.
  CREATE TABLE approvals (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    handle TEXT NOT NULL,
    call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    args TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    answered_at INTEGER,
    answer TEXT,
    reason TEXT,
    PRIMARY KEY (session_id, handle)
  ) WITHOUT ROWID;

  -- Settings changed while the program ran. They override the project's file.
  CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) WITHOUT ROWID;

  -- Values that can be recomputed at a cost. They are kept until space is needed.
  CREATE TABLE cache (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL
  );
  CREATE INDEX cache_oldest ON cache (used_at, bytes);
  `,
  `
  -- CRC-32 of a row's content. Null: an older version wrote the row.
  ALTER TABLE sessions ADD COLUMN checksum INTEGER;
  ALTER TABLE messages ADD COLUMN checksum INTEGER;
  ALTER TABLE parts ADD COLUMN checksum INTEGER;
  ALTER TABLE part_chunks ADD COLUMN checksum INTEGER;
  ALTER TABLE marks ADD COLUMN checksum INTEGER;
  ALTER TABLE compactions ADD COLUMN checksum INTEGER;
  ALTER TABLE queue ADD COLUMN checksum INTEGER;
  ALTER TABLE events ADD COLUMN checksum INTEGER;
  ALTER TABLE checkpoints ADD COLUMN checksum INTEGER;
  ALTER TABLE settings ADD COLUMN checksum INTEGER;
  ALTER TABLE cache ADD COLUMN checksum INTEGER;

  -- The message and the part whose texts the event repeats. They are stored once. Null: the payload is whole.
  ALTER TABLE events ADD COLUMN source_sequence INTEGER;
  ALTER TABLE events ADD COLUMN source_part INTEGER;
  -- From this version on, long texts of parts, summaries and checkpoints are compressed (zlib), as values of type BLOB.
  `,
  `
  -- What runs have started, and where its processes can be found. Stored before a process can have an effect.
  CREATE TABLE processes (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    command TEXT NOT NULL,
    driver TEXT NOT NULL,
    host TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    mark TEXT NOT NULL,
    pid INTEGER,
    process_started_at TEXT,
    pid_namespace TEXT,
    cgroups TEXT,
    container TEXT,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    outcome TEXT
  );
  CREATE INDEX processes_of_session ON processes (session_id, ended_at);
  `,
  `
  -- The full texts of cut outputs that a session keeps as blobs.
  CREATE TABLE outputs (
    key INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    handle TEXT NOT NULL,
    blob_id TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    kept_at INTEGER NOT NULL,
    deleted_at INTEGER,
    UNIQUE (session_id, handle)
  );
  `,
  `
  -- Settings of requests (JSON), learned from a server's refusals.
  CREATE TABLE server_settings (
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    settings TEXT NOT NULL,
    learned_at INTEGER NOT NULL,
    PRIMARY KEY (base_url, model)
  ) WITHOUT ROWID;
  `,
  `
  -- Sessions with reverts, and parts that record changed files, are few among many rows.
  CREATE INDEX marks_reverts ON marks (session_id, key) WHERE kind = 'revert';
  CREATE INDEX parts_patches ON parts (message_id, part_index) WHERE type = 'patch';
  `,
  `
  -- The values that answer a question of a server (JSON).
  ALTER TABLE approvals ADD COLUMN content TEXT;
  `,
  `
  -- The session that started this one with a call, and what was done in a session.
  ALTER TABLE sessions ADD COLUMN parent_id TEXT;
  ALTER TABLE sessions ADD COLUMN parent_call_id TEXT;
  ALTER TABLE sessions ADD COLUMN summary TEXT;
  CREATE INDEX sessions_children ON sessions (parent_id) WHERE parent_id IS NOT NULL;
  `,
  `
  -- What model calls have used. A row outlives its session, so that deleting one gives no budget back.
  CREATE TABLE usage (
    day TEXT NOT NULL,
    owner TEXT NOT NULL,
    model TEXT NOT NULL,
    session_id TEXT NOT NULL,
    calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    total_tokens INTEGER NOT NULL,
    unpriced_tokens INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    PRIMARY KEY (day, owner, model, session_id)
  ) WITHOUT ROWID;
  CREATE INDEX usage_of_session ON usage (session_id);

  -- The sums that budgets are compared with, so that a check reads a few rows.
  CREATE TABLE spent (
    scope TEXT PRIMARY KEY,
    tokens INTEGER NOT NULL,
    cost_usd REAL NOT NULL
  ) WITHOUT ROWID;
  `,
];
