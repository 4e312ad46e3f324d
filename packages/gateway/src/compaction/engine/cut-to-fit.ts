import { buildView, type PlanInput } from '@longhaul/context/engine';
import type { CutMark, Message, Part } from '@longhaul/protocol';

const ROUNDS = 6;
/** Shares of the allowed tokens: the size to aim at, and the size that is near enough. */
const AIM = 0.997;
const NEAR = 0.99;

/**
 * Returns cuts that reduce a message to at most `maxTokens`, and barely below. Only the longest texts and outputs are
 * cut, all to the same length. The number of characters per token varies within a text, so each attempt is measured. If
 * even the shortest form is too large, it is returned.
 */
export function cutToFit(
  message: Message,
  maxTokens: number,
  { meter }: Pick<PlanInput, 'meter'>,
): CutMark[] {
  const lengths = message.parts.map(lengthOf);
  const measure = (marks: readonly CutMark[]) => {
    const [shown] = buildView({ messages: [message], marks });
    return shown === undefined ? 0 : meter.messageTokens(shown.message);
  };
  const whole = measure([]);
  if (whole <= maxTokens) return [];
  let best = cutsTo(message, lengths, 0);
  let low = { chars: 0, tokens: measure(best) };
  let high = { chars: lengths.reduce((sum, length) => sum + length, 0), tokens: whole };
  for (let round = 0; round < ROUNDS && low.tokens < maxTokens * NEAR; round += 1) {
    const share = (maxTokens * AIM - low.tokens) / (high.tokens - low.tokens);
    const chars = Math.floor(low.chars + (high.chars - low.chars) * share);
    const marks = cutsTo(message, lengths, commonLength(lengths, chars));
    const tried = { chars, tokens: measure(marks) };
    if (tried.tokens > maxTokens) high = tried;
    else [low, best] = [tried, marks];
  }
  return best;
}

function lengthOf(part: Part): number {
  if (part.type === 'text') return part.text.length;
  if (part.type !== 'tool') return 0;
  return (part.output ?? []).reduce(
    (sum, content) => sum + (content.type === 'text' ? content.text.length : 0),
    0,
  );
}

/** Returns the length to which the longest must be cut so that all together have `chars` characters. */
function commonLength(lengths: readonly number[], chars: number): number {
  let left = chars;
  const ascending = lengths.filter((length) => length > 0).toSorted((a, b) => a - b);
  for (const [index, length] of ascending.entries()) {
    const each = left / (ascending.length - index);
    if (length > each) return Math.floor(each);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

function cutsTo(message: Message, lengths: readonly number[], keepChars: number): CutMark[] {
  return lengths.flatMap((length, partIndex) =>
    length > keepChars
      ? [{ kind: 'cut', id: '', messageId: message.id, partIndex, keepChars, createdAt: 0 }]
      : [],
  );
}
