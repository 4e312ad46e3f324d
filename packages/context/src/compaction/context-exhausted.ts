import { LonghaulError, type Message } from '@longhaul/protocol';
import type { Budget } from '../budget.ts';
import { activeMarks, type ContextLog, firstUserMessage } from '../log.ts';
import type { RequestMeter } from '../request-size.ts';
import type { ViewEntry } from '../view.ts';

export interface ExhaustedRequest {
  budget: Budget;
  meter: RequestMeter;
  log: ContextLog;
  entries: readonly ViewEntry[];
  tokensBefore: number;
  tokensAfter: number;
  /** Messages for the user from the attempts to make room. */
  warnings?: readonly string[];
}

/**
 * Returns the error for a request that cannot be made small enough. Its text and its data name what takes the room, in
 * tokens.
 */
export function contextExhausted(problem: string, request: ExhaustedRequest): LonghaulError {
  const { budget, meter, log, entries, tokensBefore, tokensAfter, warnings = [] } = request;
  const { pinned } = activeMarks(log.marks);
  const tokensOf = (isIt: (message: Message | undefined) => boolean) =>
    entries
      .filter(({ source }) => isIt(source))
      .reduce((sum, { message }) => sum + meter.messageTokens(message), 0);
  const first = firstUserMessage(log.messages);
  const last = log.messages.at(-1);
  const sizes = {
    windowTokens: budget.windowTokens,
    usableTokens: budget.usableTokens,
    fixedTokens: budget.fixedTokens,
    firstMessageTokens: tokensOf((message) => message !== undefined && message === first),
    lastMessageTokens: tokensOf((message) => message !== undefined && message === last),
    pinnedTokens: tokensOf((message) => message !== undefined && pinned.has(message.id)),
    mediaTokens: meter.mediaTokens(entries),
    tokensBefore,
    tokensAfter,
  };
  const more = [
    sizes.pinnedTokens === 0 ? '' : `, pinned messages ${sizes.pinnedTokens}`,
    sizes.mediaTokens === 0 ? '' : `, images and files ${sizes.mediaTokens}`,
  ].join('');
  const message =
    `${problem} (window ${budget.windowTokens}). System text and tools take ${Math.ceil(budget.fixedTokens * meter.ratio)}, ` +
    `the task ${sizes.firstMessageTokens}, the last message ${sizes.lastMessageTokens}${more}. ` +
    'Use a model with a larger window, fewer tools, or shorter instructions.' +
    warnings.map((warning) => ` ${warning}`).join('');
  return new LonghaulError('context_exhausted', message, { data: sizes });
}
