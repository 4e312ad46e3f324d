/**
 * Every column that may contain references to blobs and trees, and the expression for its session id. `isRecord` is
 * true for a row whose trees this program wrote. Other text only looks like it: a model can print any reference.
 */
export const BLOB_COLUMNS = [
  {
    table: 'parts',
    column: 'body',
    session: 'messages.session_id',
    join: 'LEFT JOIN messages ON messages.id = parts.message_id',
    isRecord: `parts.type = 'patch'`,
  },
  { table: 'messages', column: 'metadata', session: 'session_id' },
  { table: 'queue', column: 'content', session: 'session_id' },
  { table: 'queue', column: 'metadata', session: 'session_id' },
  { table: 'compactions', column: 'summary_content', session: 'session_id' },
  { table: 'marks', column: 'body', session: 'session_id', isRecord: `kind = 'revert'` },
  { table: 'approvals', column: 'args', session: 'session_id' },
  { table: 'sessions', column: 'metadata', session: 'id' },
  {
    table: 'settings',
    column: 'value',
    // `session:ID:NAME` belongs to a session, and is deleted with it.
    session: `CASE WHEN key GLOB 'session:*:*' THEN substr(key, 9, instr(substr(key, 9), ':') - 1) ELSE '' END`,
    isRecord: `key GLOB 'session:*:*'`,
  },
  { table: 'cache', column: 'value', session: "''" },
] as const;
