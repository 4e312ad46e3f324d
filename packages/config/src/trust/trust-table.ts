import type { TrustWant } from '@longhaul/protocol';
import { STRATEGY_NAMES } from '../config.ts';
import { isPlainObject } from '../config-layer.ts';

/**
 * What a setting could do to the user: run code, send data or choose who receives it, or give the agent more access.
 */
export type Danger = TrustWant['danger'];

/** Decides what an untrusted project may set at one key. */
export interface TrustRule {
  /** The allowed values, for docs/trust.md. */
  allows: string;
  danger: Danger;
  /**
   * Returns the part of a value that takes effect without trust.
   *
   * @param value As written in the file.
   * @param other The value that applies without the project's file.
   */
  keep: (value: unknown, other: unknown) => Kept;
}

export interface Kept {
  /** Undefined: nothing takes effect. */
  value: unknown;
  isWhole: boolean;
}

const NONE: Kept = { value: undefined, isWhole: false };
const whole = (value: unknown): Kept => ({ value, isWhole: true });
const only = (
  allows: string,
  danger: Danger,
  accepts: (value: unknown, other: unknown) => boolean,
): TrustRule => ({ allows, danger, keep: (value, other) => (accepts(value, other) ? whole(value) : NONE) });

const ANYTHING = only('any value', 'access', () => true);
const nothing = (danger: Danger) => only('', danger, () => false);
/** `null` is "no limit". */
const AT_MOST = only('a value that is not larger', 'access', isAtMost);
const AT_MOST_UNLESS_ZERO = only(
  'a value that is not larger, and not 0',
  'access',
  (value, other) => value !== 0 && (other === 0 || isAtMost(value, other)),
);

/**
 * What a project's file may set while its workspace is not trusted. A key without an entry, and every key below an
 * entry that allows nothing, is denied. docs/trust.md has this table.
 */
export const TRUST_TABLE: Readonly<Record<string, TrustRule>> = {
  model: nothing('data'),
  'providers.NAME': nothing('data'),
  'agents.NAME.description': nothing('data'),
  'agents.NAME.model': nothing('data'),
  'agents.NAME.prompt': nothing('data'),
  'agents.NAME.tools': only(
    'any tools, if you have set none for this agent',
    'access',
    (_, other) => other === undefined,
  ),
  // They override the user's own settings, of agents that the user has too.
  'agents.NAME.context.compression.strategy': nothing('code'),
  'agents.NAME.context': nothing('data'),
  'agents.NAME.limits': nothing('access'),
  'context.compression.strategy': only('a built-in name', 'code', (value) =>
    STRATEGY_NAMES.some((name) => name === value),
  ),
  'context.compression.trigger': only('any value', 'access', isTrigger),
  'context.compression.auto': ANYTHING,
  'context.compression.model': only(
    '`__same__`, `none`',
    'data',
    (value) => value === '__same__' || value === 'none',
  ),
  'context.compression.options.preserveLastNTurns': ANYTHING,
  'context.compression.options.recentMessagesToKeep': ANYTHING,
  'context.compression.options.pruneProtectTokens': ANYTHING,
  'context.compression.options.pruneMinimumTokens': ANYTHING,
  'context.compression.options.ledgerShare': ANYTHING,
  'context.budgetNotes': ANYTHING,
  'context.instructions': only(
    'at most 20 `.md` and `.txt` files in the workspace, with simple names',
    'data',
    areInstructions,
  ),
  'tools.maxOutputChars': AT_MOST,
  'tools.rawResults': only('`false`', 'access', (value) => value === false),
  'tools.bash.maxOutputChars': AT_MOST,
  'tools.bash.timeoutMs': AT_MOST,
  'tools.bash.maxTimeoutMs': AT_MOST,
  'tools.read.maxLines': AT_MOST,
  'tools.read.maxLineLength': AT_MOST,
  'tools.grep.maxMatches': AT_MOST,
  'tools.grep.shownMatches': AT_MOST,
  'tools.list.maxEntries': AT_MOST,
  'tools.fetch.privateHosts': only('hosts that your own configuration names too', 'access', isSubset),
  'tools.fetch.maxOutputChars': AT_MOST,
  'sandbox.driver': nothing('code'),
  'sandbox.image': nothing('code'),
  'sandbox.network': only('`off`', 'access', (value) => value === 'off'),
  'sandbox.memoryMb': AT_MOST,
  'sandbox.pids': AT_MOST,
  'sandbox.cpus': AT_MOST,
  'sandbox.env': only('names that your own configuration passes too', 'data', isSubset),
  'sandbox.keepProcesses': only('`false`', 'access', (value) => value === false),
  'files.record': only('`true`', 'access', (value) => value === true),
  'files.maxFileMb': AT_MOST,
  'files.ignore': nothing('data'),
  'files.secret': nothing('data'),
  'hooks.NAME': nothing('code'),
  'mcp.servers.NAME': nothing('code'),
  'mcp.deferOver': ANYTHING,
  'compat.claude': ANYTHING,
  'terminal.theme': ANYTHING,
  'limits.steps': AT_MOST,
  'limits.tokens': AT_MOST,
  'limits.costUsd': AT_MOST,
  'limits.minutes': AT_MOST,
  'limits.repeatedCalls': AT_MOST,
  'budgets.session.costUsd': AT_MOST,
  'budgets.session.tokens': AT_MOST,
  'budgets.token.costUsd': AT_MOST,
  'budgets.token.tokens': AT_MOST,
  'budgets.tokenDay.costUsd': AT_MOST,
  'budgets.tokenDay.tokens': AT_MOST,
  'budgets.day.costUsd': AT_MOST,
  'budgets.day.tokens': AT_MOST,
  'subtasks.atOnce': AT_MOST,
  'subtasks.depth': AT_MOST,
  'sessions.titles': only('`false`', 'data', (value) => value === false),
  'continuation.askOpenItems': ANYTHING,
  'sessions.talk': nothing('access'),
  'retry.attempts': AT_MOST,
  'retry.overloadAttempts': AT_MOST,
  'retry.totalMs': AT_MOST,
  'retry.stallMs': AT_MOST_UNLESS_ZERO,
  approvals: {
    allows: '`deny` rules (after yours) and `ask` rules (before yours, so that they override none of them)',
    danger: 'access',
    keep: keepRefusals,
  },
  approvalTimeoutMs: AT_MOST,
  storage: nothing('data'),
  server: nothing('access'),
  cluster: nothing('access'),
  git: nothing('access'),
  web: nothing('access'),
  gateway: nothing('data'),
  telemetry: nothing('data'),
  embedded: nothing('access'),
};

function isAtMost(value: unknown, other: unknown): boolean {
  if (other === null || other === undefined) return value === null || typeof value === 'number';
  return typeof value === 'number' && typeof other === 'number' && value <= other;
}

function isTrigger(value: unknown): boolean {
  if (value === null || typeof value === 'string') return true;
  return isPlainObject(value) && Object.keys(value).every((key) => key === 'threshold');
}

const MAX_INSTRUCTIONS = 20;

/** Paths that lead out through a link are refused when the file is read. */
function areInstructions(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length <= MAX_INSTRUCTIONS &&
    value.every((path) => typeof path === 'string' && isInstruction(path))
  );
}

/** The name is in the prompt, so it must not read like a sentence. */
function isInstruction(path: string): boolean {
  return path.length <= 100 && /^[\w.][\w./-]*\.(?:md|txt)$/i.test(path) && !path.split('/').includes('..');
}

function isSubset(value: unknown, other: unknown): boolean {
  if (!Array.isArray(value)) return value === other;
  // `all` passes no keys, so it passes no name for sure.
  return value.every((name) => Array.isArray(other) && other.includes(name));
}

const RULE_KEYS: ReadonlySet<string> = new Set(['tool', 'command', 'path', 'url', 'action']);

/**
 * The last matching rule decides. The user's rules stay: a `deny` of the project comes after them, and an `ask`, which
 * could weaken a `deny` of the user, before them.
 */
function keepRefusals(value: unknown, other: unknown): Kept {
  if (!Array.isArray(value)) return NONE;
  const withAction = (action: string) =>
    value.filter((rule) => isRefusal(rule) && isPlainObject(rule) && rule['action'] === action);
  const [denied, asked] = [withAction('deny'), withAction('ask')];
  const users: readonly unknown[] = Array.isArray(other) ? other : [];
  return {
    value: [...asked, ...users, ...denied],
    isWhole: denied.length + asked.length === value.length,
  };
}

/** Whether a rule of approvals only denies or asks. */
export function isRefusal(rule: unknown): boolean {
  return (
    isPlainObject(rule) &&
    (rule['action'] === 'deny' || rule['action'] === 'ask') &&
    Object.keys(rule).every((key) => RULE_KEYS.has(key))
  );
}
