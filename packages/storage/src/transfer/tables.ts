/**
 * What a column contains. `number`; `text`; `any`: a text that PostgreSQL cannot always store as it is; `packed`: a text
 * that SQLite compresses; `piece`: a text that PostgreSQL stores as JSON.
 */
type Kind = 'number' | 'text' | 'any' | 'packed' | 'piece';

export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, Kind>>;
  /** Columns that give the order of the rows of a session. `key`: the order in which they were stored. */
  readonly order: readonly string[];
  /** Of the whole store. A row that exists in the target stays as it is. */
  readonly isShared?: boolean;
  /** Selects the rows: of one session, whose id replaces `:id`, or of a shared table. Default: by `session_id`, or all. */
  readonly where?: string;
}

const table = (name: string, order: string, columns: Readonly<Record<string, Kind>>): Table => ({
  name,
  columns,
  order: order.split(' '),
});

const SESSIONS = table('sessions', 'id', {
  id: 'text',
  created_at: 'number',
  status: 'text',
  task: 'any',
  title: 'any',
  model: 'any',
  workspace: 'any',
  metadata: 'text',
  checksum: 'number',
  parent_id: 'text',
  parent_call_id: 'any',
  summary: 'any',
});

/** Without the lease: nobody has the session in another store. */
export const HEADS = table('heads', 'session_id', {
  session_id: 'text',
  updated_at: 'number',
  last_sequence: 'number',
  last_event: 'number',
  epoch: 'number',
});

const MESSAGES = table('messages', 'sequence', {
  id: 'text',
  session_id: 'text',
  sequence: 'number',
  role: 'text',
  status: 'text',
  token_count: 'number',
  created_at: 'number',
  finish_reason: 'text',
  usage: 'text',
  cost: 'number',
  model: 'any',
  metadata: 'text',
  checksum: 'number',
});

export const PARTS = table('parts', 'sequence part_index', {
  session_id: 'text',
  sequence: 'number',
  part_index: 'number',
  message_id: 'text',
  type: 'text',
  state: 'text',
  body: 'packed',
  checksum: 'number',
});

/** Its checksum covers the key of the part, which differs between stores. `is_sound`: whether it was right. */
export const PART_CHUNKS = table('part_chunks', 'sequence part_index number', {
  session_id: 'text',
  sequence: 'number',
  part_index: 'number',
  text: 'piece',
  is_sound: 'number',
});

const USAGE = {
  day: 'text',
  owner: 'text',
  model: 'any',
  session_id: 'text',
  calls: 'number',
  input_tokens: 'number',
  output_tokens: 'number',
  reasoning_tokens: 'number',
  cache_read_tokens: 'number',
  cache_write_tokens: 'number',
  total_tokens: 'number',
  unpriced_tokens: 'number',
  cost_usd: 'number',
} as const;

const SETTINGS = table('settings', 'key', { key: 'text', value: 'text', checksum: 'number' });

/** The tables of a session, in the order in which their rows refer to each other. Leases and cancels stay behind. */
export const SESSION_TABLES: readonly Table[] = [
  SESSIONS,
  HEADS,
  table('runs', 'epoch', {
    run_id: 'text',
    session_id: 'text',
    epoch: 'number',
    host: 'text',
    boot_id: 'text',
    pid: 'number',
    process_started_at: 'text',
    started_at: 'number',
    ended_at: 'number',
    status: 'text',
  }),
  MESSAGES,
  PARTS,
  PART_CHUNKS,
  table('marks', 'key', {
    id: 'text',
    session_id: 'text',
    kind: 'text',
    body: 'text',
    undone_at: 'number',
    checksum: 'number',
  }),
  table('compactions', 'round id', {
    id: 'text',
    session_id: 'text',
    round: 'number',
    strategy: 'text',
    reason: 'text',
    tokens_before: 'number',
    tokens_after: 'number',
    summary_content: 'packed',
    hides: 'text',
    created_at: 'number',
    undone_at: 'number',
    checksum: 'number',
  }),
  table('queue', 'key', {
    session_id: 'text',
    id: 'text',
    content: 'text',
    queued_at: 'number',
    metadata: 'text',
    state: 'text',
    position: 'number',
    event_number: 'number',
    checksum: 'number',
  }),
  table('events', 'number', {
    session_id: 'text',
    number: 'number',
    at: 'number',
    type: 'text',
    payload: 'text',
    source_sequence: 'number',
    source_part: 'number',
    checksum: 'number',
  }),
  table('checkpoints', 'session_id', {
    session_id: 'text',
    sequence: 'number',
    fold: 'packed',
    checksum: 'number',
  }),
  table('processes', 'key', {
    id: 'text',
    session_id: 'text',
    run_id: 'text',
    command: 'any',
    driver: 'text',
    host: 'text',
    boot_id: 'text',
    mark: 'text',
    pid: 'number',
    process_started_at: 'text',
    pid_namespace: 'text',
    cgroups: 'any',
    container: 'text',
    started_at: 'number',
    ended_at: 'number',
    outcome: 'text',
  }),
  table('outputs', 'key', {
    session_id: 'text',
    handle: 'text',
    blob_id: 'text',
    bytes: 'number',
    kept_at: 'number',
    deleted_at: 'number',
  }),
  table('approvals', 'requested_at handle', {
    session_id: 'text',
    handle: 'text',
    call_id: 'any',
    tool_name: 'any',
    args: 'text',
    requested_at: 'number',
    answered_at: 'number',
    answer: 'text',
    reason: 'any',
    content: 'text',
  }),
  { ...SETTINGS, where: `key >= 'session:' || :id || ':' AND key < 'session:' || :id || ';'` },
];

/** Settings, what budgets count, and what was learned from refusals of servers. */
export const SHARED_TABLES: readonly Table[] = [
  { ...SETTINGS, where: `key NOT LIKE 'session:%:%'`, isShared: true },
  { ...table('usage', 'day owner model session_id', USAGE), isShared: true },
  { ...table('spent', 'scope', { scope: 'text', tokens: 'number', cost_usd: 'number' }), isShared: true },
  {
    ...table('servers', 'base_url model', {
      base_url: 'text',
      model: 'text',
      window_tokens: 'number',
      reported_tokens: 'number',
      learned_at: 'number',
    }),
    isShared: true,
  },
  {
    ...table('server_settings', 'base_url model', {
      base_url: 'text',
      model: 'text',
      settings: 'text',
      learned_at: 'number',
    }),
    isShared: true,
  },
];

export type Value = string | number | null;
/** A row with the names of its columns. Texts are as a person reads them: neither packed nor escaped. */
export type Row = Readonly<Record<string, Value>>;

/** Returns the condition for rows that are read, with `placeholder` for the id of the session. */
export function whereOf({ name, where, isShared = false }: Table, placeholder: string): string {
  if (isShared) return where === undefined ? '' : `WHERE ${where}`;
  return `WHERE ${where ?? `${name === 'sessions' ? 'id' : 'session_id'} = :id`}`.replaceAll(
    ':id',
    placeholder,
  );
}
