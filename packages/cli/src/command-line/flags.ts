import type { REASONING_EFFORTS } from '@longhaul/models';
import { STRATEGY_NAMES } from '@longhaul/protocol/strategy-names';

/** The flags of every command, as data for parsing, help, suggestions and the check of the documentation. */
export interface Flag {
  type: 'string' | 'boolean';
  short?: string;
  /** Every value counts. Default: the last one does. */
  repeatable?: boolean;
  /** The values that have a name. */
  values?: readonly string[];
  /** Other values are accepted too. */
  isOpen?: boolean;
}

export type Flags = Readonly<Record<string, Flag>>;

const text = { type: 'string' } as const;
const toggle = { type: 'boolean' } as const;

const sandbox = { type: 'string', values: ['auto', 'docker', 'bubblewrap', 'seatbelt', 'local'] } as const;
const strategy = { type: 'string', values: STRATEGY_NAMES, isOpen: true } as const;

const WHERE = { cwd: { type: 'string', short: 'C' }, config: text, trust: toggle } as const;
/** For commands that name a session: sessions of every folder. */
const ALL = { all: toggle } as const;

/** All efforts, without loading the module that has them. */
const EFFORTS = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const satisfies typeof REASONING_EFFORTS;
export const RUN_FLAGS = {
  ...WHERE,
  agent: text,
  model: { type: 'string', short: 'm' },
  'base-url': text,
  window: text,
  'max-output': text,
  effort: { type: 'string', values: EFFORTS },
  sandbox,
  network: { type: 'string', values: ['on', 'off'] },
  env: { type: 'string', repeatable: true },
  'keep-processes': toggle,
  strategy,
  'max-steps': text,
  'max-cost': text,
  'max-minutes': text,
  session: text,
  all: toggle,
  resume: toggle,
  git: text,
  ref: text,
  image: { type: 'string', repeatable: true },
  wait: toggle,
  'assume-ended': toggle,
  yes: { type: 'boolean', short: 'y' },
  json: toggle,
  quiet: { type: 'boolean', short: 'q' },
  verbose: toggle,
  'no-color': toggle,
} as const;

const {
  session: _session,
  resume: _resume,
  wait: _wait,
  image: _image,
  git: _git,
  ref: _ref,
  ...RESUMING
} = RUN_FLAGS;
/** The flags of `run`, except those that name a session or send a message to one. */
export const RESUME_FLAGS = RESUMING;
/** A conversation is limited by the person. */
export const CHAT_FLAGS = {
  ...WHERE,
  ...ALL,
  agent: text,
  model: { type: 'string', short: 'm' },
  'base-url': text,
  window: text,
  'max-output': text,
  effort: { type: 'string', values: EFFORTS },
  sandbox,
  network: { type: 'string', values: ['on', 'off'] },
  strategy,
  attach: text,
  continue: toggle,
  resume: toggle,
  plain: toggle,
  theme: { type: 'string', values: ['auto', 'dark', 'light'] },
  'no-color': toggle,
} as const;
export const CANCEL_FLAGS = { ...WHERE, ...ALL, 'clear-queue': toggle, force: toggle, json: toggle } as const;
export const FORK_FLAGS = {
  ...WHERE,
  ...ALL,
  at: text,
  title: text,
  files: text,
  worktree: toggle,
  json: toggle,
} as const;
export const DIFF_FLAGS = { ...WHERE, ...ALL, stat: toggle, json: toggle, 'no-color': toggle } as const;
export const REVERT_FLAGS = {
  ...WHERE,
  ...ALL,
  files: toggle,
  conversation: toggle,
  preview: toggle,
  force: toggle,
  keep: toggle,
  json: toggle,
} as const;
export const UNREVERT_FLAGS = {
  ...WHERE,
  ...ALL,
  preview: toggle,
  force: toggle,
  keep: toggle,
  json: toggle,
} as const;
export const TREE_FLAGS = { ...WHERE, ...ALL, json: toggle } as const;
export const SEND_FLAGS = {
  ...WHERE,
  ...ALL,
  from: text,
  id: text,
  wait: toggle,
  sandbox,
  yes: { type: 'boolean', short: 'y' },
  'assume-ended': toggle,
  json: toggle,
} as const;
export const QUEUE_FLAGS = { ...WHERE, ...ALL, json: toggle } as const;

export const DEMO_FLAGS = {
  children: toggle,
  json: toggle,
  window: text,
  sandbox,
  keep: toggle,
  'no-color': toggle,
} as const;

export const SESSIONS_FLAGS = {
  ...WHERE,
  ...ALL,
  tree: toggle,
  json: toggle,
  verbose: { type: 'boolean', short: 'v' },
  limit: { type: 'string', short: 'n' },
} as const;
export const PS_FLAGS = { ...WHERE, ...ALL, json: toggle } as const;
export const SHOW_FLAGS = { ...WHERE, ...ALL, json: toggle, 'no-color': toggle } as const;
export const SEARCH_FLAGS = {
  ...WHERE,
  ...ALL,
  session: text,
  limit: { type: 'string', short: 'n' },
  reverted: toggle,
  json: toggle,
  'no-color': toggle,
} as const;
export const CONTEXT_FLAGS = {
  ...WHERE,
  ...ALL,
  request: toggle,
  window: text,
  json: toggle,
  'no-color': toggle,
} as const;
export const COMPACT_FLAGS = {
  ...WHERE,
  ...ALL,
  preview: toggle,
  focus: text,
  strategy,
  window: text,
  json: toggle,
  'no-color': toggle,
} as const;
export const UNDO_FLAGS = { ...WHERE, ...ALL, json: toggle } as const;
export const PIN_FLAGS = { ...WHERE, ...ALL, json: toggle } as const;
export const UNPIN_FLAGS = PIN_FLAGS;
export const IMPORT_FLAGS = { ...WHERE, partial: toggle, json: toggle, 'no-color': toggle } as const;
export const EXPORT_FLAGS = { ...WHERE, ...ALL, files: toggle } as const;
export const SERVE_FLAGS = {
  ...WHERE,
  host: text,
  port: { type: 'string', short: 'p' },
  role: { type: 'string', values: ['all', 'api', 'worker'] },
  'no-token': toggle,
  resume: toggle,
  open: toggle,
  'log-file': text,
  'log-level': { type: 'string', values: ['debug', 'info', 'warn', 'error', 'silent'] },
  json: toggle,
} as const;
export const ACP_FLAGS = { ...WHERE, model: { type: 'string', short: 'm' }, sandbox } as const;
export const GATEWAY_FLAGS = {
  ...WHERE,
  upstream: { type: 'string', short: 'u', repeatable: true },
  host: text,
  port: { type: 'string', short: 'p' },
  notices: { type: 'string', values: ['text', 'reasoning', 'comment', 'off'] },
  compactor: text,
  forget: { type: 'string', repeatable: true },
  open: toggle,
  'no-token': toggle,
  json: toggle,
} as const;
export const MODELS_FLAGS = { ...WHERE, embedded: toggle, json: toggle, 'no-color': toggle } as const;
export const DOCTOR_FLAGS = {
  ...WHERE,
  model: { type: 'string', short: 'm' },
  'base-url': text,
  deep: toggle,
  json: toggle,
  'no-color': toggle,
} as const;
export const GC_FLAGS = {
  ...WHERE,
  'older-than': text,
  'max-size': text,
  'dry-run': toggle,
  yes: { type: 'boolean', short: 'y' },
  json: toggle,
} as const;
export const BACKUP_FLAGS = { ...WHERE, json: toggle } as const;
export const MIGRATE_STORAGE_FLAGS = { ...WHERE, 'from-blobs': text, blobs: text, json: toggle } as const;
export const RESTORE_FLAGS = { ...WHERE, 'without-settings': toggle, json: toggle } as const;
export const REPAIR_FLAGS = {
  ...WHERE,
  'move-aside': toggle,
  yes: { type: 'boolean', short: 'y' },
  json: toggle,
} as const;
export const CONFIG_FLAGS = { ...WHERE, json: toggle, schema: toggle } as const;
export const TOKEN_FLAGS = {
  ...WHERE,
  scope: { type: 'string', values: ['admin', 'work', 'read'] },
  expires: text,
  'budget-usd': text,
  'budget-tokens': text,
  'budget-usd-per-day': text,
  'budget-tokens-per-day': text,
  json: toggle,
} as const;
export const USAGE_FLAGS = {
  ...WHERE,
  ...ALL,
  by: text,
  from: text,
  to: text,
  token: text,
  session: text,
  limit: text,
  json: toggle,
} as const;
export const SHARE_FLAGS = { ...WHERE, ...ALL, json: toggle } as const;
export const TRUST_FLAGS = {
  show: toggle,
  revoke: toggle,
  yes: { type: 'boolean', short: 'y' },
  json: toggle,
} as const;
export const LOGIN_FLAGS = { ...WHERE, stdin: toggle } as const;
export const LOGOUT_FLAGS = { ...WHERE } as const;
export const MCP_FLAGS = {
  ...WHERE,
  url: text,
  header: { type: 'string', repeatable: true },
  env: { type: 'string', repeatable: true },
  json: toggle,
} as const;
export const REPLAY_FLAGS = {
  ...WHERE,
  window: text,
  strategy: text,
  narrative: text,
  summarizer: text,
  'max-cost': text,
  baselines: toggle,
  partial: toggle,
  'against-recorded': toggle,
  probes: toggle,
  'view-command': { type: 'string', repeatable: true },
  'through-agent': toggle,
  database: text,
  html: text,
  workers: text,
  json: toggle,
  'no-color': toggle,
} as const;
