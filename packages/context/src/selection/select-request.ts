import { handleOf } from '@longhaul/protocol';
import { cutMiddle } from '../cut-middle.ts';
import { serialiseMessage } from '../narrative.ts';
import type { PlanInput } from '../strategy.ts';
import type { ViewEntry } from '../view.ts';
import { type SelectMessage, type SelectRequest, selectionPrompt } from './select.ts';

/** With fewer characters, a message says too little to be selected by. */
const LEAST_CHARS = 120;
const MOST_CHARS = 4_000;

/**
 * Builds the request for a selection, small enough for its model. The middle of long messages is cut. If that is not
 * enough, the oldest messages are left out, and count as not selected.
 *
 * @param recent Ids of messages that stay, regardless of the answer.
 * @param outputChars A longer tool output loses its middle, even if there is room for it.
 */
export function selectRequest(
  input: PlanInput,
  recent: ReadonlySet<string>,
  outputChars?: number,
): SelectRequest {
  const { budget, meter, count, entries } = input;
  const maxOutputTokens = Math.max(200, Math.min(4_000, Math.floor(budget.messageTokens * 0.15)));
  const rest = {
    currentTokens: meter.requestTokens(entries, budget.fixedTokens),
    contextLimit: budget.windowTokens,
    keepToolResult: activeResults(entries, recent),
    maxOutputTokens,
  };
  const maxTokens = budget.usableTokens - maxOutputTokens;
  const texts = entries.map((entry) => ({ entry, text: serialiseMessage(entry.message, outputChars) }));
  for (let chars = Math.max(MOST_CHARS, outputChars ?? 0); ; chars = Math.floor(chars / 2)) {
    const conversation = texts.map((item) => selectMessage(item, chars, input));
    const request = { conversation, ...rest };
    const tokens = count(selectionPrompt(request));
    if (tokens <= maxTokens) return request;
    if (chars >= 2 * LEAST_CHARS) continue;
    return { ...rest, conversation: withoutOldest(rest, conversation, { maxTokens, count }) };
  }
}

/** Handles of the kept messages with tool results, because the agent still works with these results. */
function activeResults(entries: readonly ViewEntry[], recent: ReadonlySet<string>): string[] {
  return entries.flatMap(({ source, message }) =>
    source !== undefined && recent.has(source.id) && message.content.some((part) => part.type === 'tool')
      ? [handleOf(source.sequence)]
      : [],
  );
}

function selectMessage(
  { entry: { source, message }, text }: { entry: ViewEntry; text: string },
  maxChars: number,
  { meter }: PlanInput,
): SelectMessage {
  return {
    id: source === undefined ? 'summary' : handleOf(source.sequence),
    role: source?.role ?? 'summary',
    tokens: meter.messageTokens(message),
    text: cutMiddle(text, maxChars).text,
  };
}

/** The newest messages that fit, found by halving: a conversation that is too long is far too long. */
function withoutOldest(
  rest: Omit<SelectRequest, 'conversation'>,
  conversation: readonly SelectMessage[],
  { maxTokens, count }: { maxTokens: number; count: PlanInput['count'] },
): SelectMessage[] {
  let left = conversation;
  while (left.length > 0 && count(selectionPrompt({ ...rest, conversation: left })) > maxTokens)
    left = left.slice(Math.max(1, Math.ceil(left.length / 8)));
  return [...left];
}
