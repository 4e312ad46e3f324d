import type { JsonValue, Message, Part } from '@longhaul/protocol';

/** One message of a session for a test: a user's text, or a step's text and its calls with their results. */
export type SessionItem = string | { say?: string; calls?: [input: JsonValue, result: string][] };

export function messagesOf(items: readonly SessionItem[]): Message[] {
  return items.map((item, index) => {
    const parts = typeof item === 'string' ? [textPart(item)] : stepParts(item, index);
    return {
      id: `m${index + 1}`,
      sessionId: 's',
      sequence: index + 1,
      role: typeof item === 'string' ? 'user' : 'assistant',
      parts,
      status: 'done',
      createdAt: index,
      tokenCount: 0,
    };
  });
}

function textPart(text: string): Part {
  return { type: 'text', text, state: 'done' };
}

function stepParts({ say, calls = [] }: Exclude<SessionItem, string>, step: number): Part[] {
  const tools = calls.map(
    ([input, result], index): Part => ({
      type: 'tool',
      callId: `c${step}-${index}`,
      name: 'bash',
      input,
      state: 'completed',
      output: [{ type: 'text', text: result }],
    }),
  );
  return say === undefined ? tools : [textPart(say), ...tools];
}

/** Returns about `tokens` tokens of words that are not facts. */
export function filler(tokens: number): string {
  return 'some plain words, and '.repeat(Math.ceil((tokens * 4) / 22));
}
