import { LonghaulError } from '@longhaul/protocol';

/** Most that is reserved for the model's output; never more than a quarter of the window. */
export const OUTPUT_TOKEN_MAX = 32_000;

export interface BudgetOptions {
  /** The model's window as its server enforces it. */
  windowTokens: number;
  /** The most the model writes in one answer. */
  maxOutputTokens: number;
  /** System text and tool schemas of the request. They are part of every request and of every count. */
  fixedTokens: number;
}

export interface Budget {
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
  readonly fixedTokens: number;
  /** The window less what is kept free for output. */
  readonly usableTokens: number;
  /** What is left of `usable` for messages. */
  readonly messageTokens: number;
}

/**
 * What may be sent.
 *
 * @throws {LonghaulError} `invalid_request` if a number is not one, or the window or the output is not positive.
 */
export function computeBudget(options: BudgetOptions): Budget {
  const { windowTokens, maxOutputTokens, fixedTokens } = options;
  if (!(windowTokens > 0) || !Number.isFinite(windowTokens))
    throw invalid(`The window must be a positive number of tokens, got ${windowTokens}.`);
  if (!(maxOutputTokens > 0))
    throw invalid(`The most output must be a positive number of tokens, got ${maxOutputTokens}.`);
  if (!(fixedTokens >= 0))
    throw invalid(`The tokens of system text and tools must be a number, got ${fixedTokens}.`);
  const usableTokens = Math.floor(windowTokens - outputReserve(windowTokens, maxOutputTokens));
  return {
    windowTokens,
    maxOutputTokens,
    fixedTokens,
    usableTokens,
    messageTokens: Math.max(0, usableTokens - fixedTokens),
  };
}

/** Not a number would make every comparison false, and no request would ever be too large. */
function invalid(message: string): LonghaulError {
  return new LonghaulError('invalid_request', message);
}

function outputReserve(windowTokens: number, maxOutputTokens: number): number {
  return Math.min(maxOutputTokens, OUTPUT_TOKEN_MAX, windowTokens / 4);
}

/** Whether a request of so many tokens (system text, tools and cached input counted, each once) is over what may be sent. */
export function isOverflow(requestTokens: number, budget: Pick<Budget, 'usableTokens'>): boolean {
  return requestTokens > budget.usableTokens;
}

/** Below this much room for an answer, compacting comes first. */
export const MIN_OUTPUT_ROOM_TOKENS = 1_000;

/** Room for the answer of a request: `min(model's, window − predicted − 2 %)`. */
export function outputRoom(requestTokens: number, budget: Budget): number {
  const left = Math.floor(budget.windowTokens - requestTokens - budget.windowTokens * 0.02);
  return Math.max(0, Math.min(budget.maxOutputTokens, left));
}

/**
 * When to compact: at `usable`; at a share of the window; or when messages take a share of what is available to them (see
 * `availableTokens`). Never later than at `usable`. `manual` never fires by itself.
 */
export type Trigger =
  | { kind: 'overflow' }
  | { kind: 'threshold'; percent: number }
  | { kind: 'available'; percent: number }
  | { kind: 'manual' };

/** Tokens of a request at which the trigger fires; fires at exactly this number. */
export function triggerTokens(trigger: Trigger, budget: Budget): number {
  if (trigger.kind === 'manual') return Number.POSITIVE_INFINITY;
  if (trigger.kind === 'overflow') return budget.usableTokens;
  const tokens =
    trigger.kind === 'available'
      ? budget.fixedTokens + availableTokens(budget) * trigger.percent
      : budget.windowTokens * trigger.percent;
  return Math.min(Math.floor(tokens), budget.usableTokens);
}

/** Tokens set aside in a window of 128k or more; a smaller one sets aside less, in proportion. */
export const SYSTEM_RESERVE = 2_000;
export const OUTPUT_RESERVE = 4_000;
export const SAFETY_BUFFER = 5_000;
const RESERVES_WINDOW = 128_000;

/** What is left of the window for messages: less system text and tools as measured, at least `SYSTEM_RESERVE`, and the other reserves. */
export function availableTokens({ windowTokens, fixedTokens }: Budget): number {
  const scale = Math.min(1, windowTokens / RESERVES_WINDOW);
  const system = Math.max(SYSTEM_RESERVE * scale, fixedTokens);
  return Math.max(0, windowTokens - system - (OUTPUT_RESERVE + SAFETY_BUFFER) * scale);
}

/** Share of the window that a ledger may take by default. */
export const DEFAULT_LEDGER_SHARE = 0.2;

const MAX_LEDGER_TOKENS = 12_000;

/**
 * Most tokens of a ledger. Facts do not become fewer in a small window, so a small window gives a larger share of itself: a quarter at 16k, a
 * fifth at 32k, never more than 12,000. `share` scales that.
 */
export function ledgerTokens({ windowTokens, messageTokens }: Budget, share = DEFAULT_LEDGER_SHARE): number {
  const byWindow = Math.min(windowTokens / 4, 1_600 + windowTokens * 0.15, MAX_LEDGER_TOKENS);
  return Math.floor(Math.min(byWindow * (share / DEFAULT_LEDGER_SHARE), messageTokens * 0.4));
}
