/** Every column that may contain `@blob:` references, and the expression for its session id. */
export const BLOB_COLUMNS = [
  {
    table: 'parts',
    column: 'body',
    session: 'messages.session_id',
    join: 'LEFT JOIN messages ON messages.id = parts.message_id',
  },
  { table: 'messages', column: 'metadata', session: 'session_id' },
  { table: 'queue', column: 'content', session: 'session_id' },
  { table: 'queue', column: 'metadata', session: 'session_id' },
  { table: 'compactions', column: 'summary_content', session: 'session_id' },
  { table: 'marks', column: 'body', session: 'session_id' },
  { table: 'approvals', column: 'args', session: 'session_id' },
  { table: 'sessions', column: 'metadata', session: 'id' },
  { table: 'settings', column: 'value', session: "''" },
  { table: 'cache', column: 'value', session: "''" },
] as const;
