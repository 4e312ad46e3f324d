import type { JsonValue, Message, Part } from '@longhaul/protocol';

/** What a test says of a session, in order: a user's text, or a step's text and calls, each with its result. */
export type Told = string | { say?: string; calls?: [input: JsonValue, result: string][] };

export function messagesOf(told: readonly Told[]): Message[] {
  return told.map((item, index) => {
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

function stepParts({ say, calls = [] }: Exclude<Told, string>, step: number): Part[] {
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

/** Words that are no facts, of about so many tokens. */
export function filler(tokens: number): string {
  return 'some plain words, and '.repeat(Math.ceil((tokens * 4) / 22));
}
