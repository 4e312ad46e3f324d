import { LonghaulError } from '@longhaul/protocol';

/** The most tokens that are reserved for the model's output. The reserve is never more than a quarter of the window. */
export const OUTPUT_TOKEN_MAX = 32_000;

/** What a budget is computed from. */
export interface BudgetOptions {
  /** The model's window as its server enforces it. */
  windowTokens: number;
  /** The most tokens that the model writes in one answer. */
  maxOutputTokens: number;
  /** Tokens of an answer that reasoning takes. They are reserved besides those of the answer. Default 0. */
  reasoningTokens?: number | undefined;
  /** Tokens of the system text and the tool schemas. They are part of every request and of every count. */
  fixedTokens: number;
}

/** How the window is divided for the requests of a session, in tokens. */
export interface Budget {
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
  readonly fixedTokens: number;
  /** The window minus the output reserve. */
  readonly usableTokens: number;
  /** The part of `usableTokens` that is left for messages. */
  readonly messageTokens: number;
}

/**
 * Computes how many tokens may be sent.
 *
 * @throws {LonghaulError} `invalid_request` if a value is not a number, or if the window or the output is not positive.
 */
export function computeBudget(options: BudgetOptions): Budget {
  const { windowTokens, maxOutputTokens, fixedTokens, reasoningTokens = 0 } = options;
  if (!(windowTokens > 0) || !Number.isFinite(windowTokens))
    throw invalid(`The window must be a positive number of tokens, got ${windowTokens}.`);
  if (!(maxOutputTokens > 0))
    throw invalid(`The maximum output must be a positive number of tokens, got ${maxOutputTokens}.`);
  if (!(fixedTokens >= 0))
    throw invalid(
      `The tokens of system text and tools must be zero or a positive number, got ${fixedTokens}.`,
    );
  const usableTokens = Math.floor(
    windowTokens - outputReserve({ windowTokens, maxOutputTokens, reasoningTokens }),
  );
  return {
    windowTokens,
    maxOutputTokens,
    fixedTokens,
    usableTokens,
    messageTokens: Math.max(0, usableTokens - fixedTokens),
  };
}

/** NaN would make every comparison false, so that no request would ever be too large. */
function invalid(message: string): LonghaulError {
  return new LonghaulError('invalid_request', message);
}

function outputReserve(
  options: Record<'windowTokens' | 'maxOutputTokens' | 'reasoningTokens', number>,
): number {
  const { windowTokens, maxOutputTokens, reasoningTokens } = options;
  return Math.min(maxOutputTokens, OUTPUT_TOKEN_MAX + reasoningTokens, windowTokens / 4);
}

/**
 * Returns whether a request of so many tokens is more than may be sent. The system text, the tools and cached input
 * count, each once.
 */
export function isOverflow(requestTokens: number, budget: Pick<Budget, 'usableTokens'>): boolean {
  return requestTokens > budget.usableTokens;
}

/** With less room for an answer than this, compaction comes first. */
export const MIN_OUTPUT_ROOM_TOKENS = 1_000;

/**
 * Returns the room for the answer to a request: `min(maxOutputTokens, window − request − 2 % of the window)`, at least
 * 0.
 */
export function outputRoom(requestTokens: number, budget: Budget): number {
  const left = Math.floor(budget.windowTokens - requestTokens - budget.windowTokens * 0.02);
  return Math.max(0, Math.min(budget.maxOutputTokens, left));
}

/**
 * When to compact.
 * - `overflow`: at `usableTokens`.
 * - `threshold`: at a share of the window.
 * - `available`: when the messages take a share of `availableTokens`.
 * - `manual`: never by itself.
 *
 * No trigger fires later than at `usableTokens`, except `manual`.
 */
export type Trigger =
  | { kind: 'overflow' }
  | { kind: 'threshold'; percent: number }
  | { kind: 'available'; percent: number }
  | { kind: 'manual' };

/** Returns the tokens of a request at which the trigger fires. It fires at exactly this number. */
export function triggerTokens(trigger: Trigger, budget: Budget): number {
  if (trigger.kind === 'manual') return Number.POSITIVE_INFINITY;
  if (trigger.kind === 'overflow') return budget.usableTokens;
  const tokens =
    trigger.kind === 'available'
      ? budget.fixedTokens + availableTokens(budget) * trigger.percent
      : budget.windowTokens * trigger.percent;
  return Math.min(Math.floor(tokens), budget.usableTokens);
}

/** Tokens set aside in a window of 128k or more. A smaller window sets aside less, in proportion. */
export const SYSTEM_RESERVE = 2_000;
/** Tokens that are set aside for the answer in a large window. */
export const OUTPUT_RESERVE = 4_000;
/** Tokens that are set aside for errors of counting in a large window. */
export const SAFETY_BUFFER = 5_000;
const RESERVES_WINDOW = 128_000;

/**
 * Returns the tokens of the window that are available to messages: without the system text and the tools (at least
 * `SYSTEM_RESERVE`) and without the other reserves.
 */
export function availableTokens({ windowTokens, fixedTokens }: Budget): number {
  const scale = Math.min(1, windowTokens / RESERVES_WINDOW);
  const system = Math.max(SYSTEM_RESERVE * scale, fixedTokens);
  return Math.max(0, windowTokens - system - (OUTPUT_RESERVE + SAFETY_BUFFER) * scale);
}

/** The default share of the window that a ledger may take. */
export const DEFAULT_LEDGER_SHARE = 0.2;

const MAX_LEDGER_TOKENS = 12_000;

/**
 * Returns the most tokens that a ledger may have. Facts do not become fewer in a small window, so a small window gives
 * the ledger a larger share: 30 % at 16k, 28 % at 32k, and never more than 12,000 tokens. `share` scales
 * these values; 40 % of the message budget is the limit.
 */
export function ledgerTokens({ windowTokens, messageTokens }: Budget, share = DEFAULT_LEDGER_SHARE): number {
  const byWindow = Math.min(windowTokens * 0.3, 4_100 + windowTokens * 0.15, MAX_LEDGER_TOKENS);
  return Math.floor(Math.min(byWindow * (share / DEFAULT_LEDGER_SHARE), messageTokens * 0.4));
}
