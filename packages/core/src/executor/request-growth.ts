import type { ViewMessage } from '@longhaul/context';
import type { FittedRequest } from './fitted-request.ts';
import type { MeasuredRequest } from './window-learner.ts';

/** Compares each request of a session with the one before it. */
export class RequestGrowth {
  #before: { messages: ViewMessage[]; rawTokens: number } | undefined;

  /** @param ratio Real tokens for one counted token, as the request was predicted with. */
  of({ entries, predictedTokens }: FittedRequest, ratio: number): MeasuredRequest {
    const messages = entries.map((entry) => entry.message);
    const before = this.#before;
    this.#before = { messages, rawTokens: predictedTokens / ratio };
    const hasMedia = messages.some((message) => message.content.some(isMedia));
    if (before === undefined || !continues(messages, before.messages)) return { predictedTokens, hasMedia };
    return { predictedTokens, hasMedia, addedTokens: predictedTokens - before.rawTokens * ratio };
  }
}

/** A message of the user ends a turn, and with it some providers drop what the model thought in it: such requests may shrink. */
function continues(messages: readonly ViewMessage[], before: readonly ViewMessage[]): boolean {
  if (!before.every((message, index) => message === messages[index])) return false;
  return messages.slice(before.length).every((message) => message.role === 'assistant');
}

function isMedia(part: ViewMessage['content'][number]): boolean {
  if (part.type === 'tool') return part.output.some(({ type }) => type !== 'text');
  return part.type === 'image' || part.type === 'file';
}
