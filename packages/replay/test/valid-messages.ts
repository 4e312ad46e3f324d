import type { Message } from '@longhaul/protocol';
import { messageSchema } from '@longhaul/protocol/schemas';
import { expect } from 'vitest';

/** Checks the guarantees for the messages of any file, damaged or not. */
export function expectValid(messages: readonly Message[]): void {
  const calls = new Set<string>();
  let previousId = '';
  for (const [index, message] of messages.entries()) {
    const parsed = messageSchema.safeParse(message);
    expect(parsed.error?.issues ?? []).toEqual([]);
    expect(message.sequence).toBe(index + 1);
    expect(message.id > previousId).toBe(true);
    expect(message.parts.length).toBeGreaterThan(0);
    previousId = message.id;
    for (const part of message.parts) {
      if (part.type !== 'tool') continue;
      expect(calls.has(part.callId)).toBe(false);
      calls.add(part.callId);
      expect(['completed', 'error', 'interrupted']).toContain(part.state);
      expect(part.state === 'interrupted').toBe(part.output === undefined);
    }
  }
}

/** Returns the texts of the messages: texts of the user and the agent, arguments and results. */
export function textsOf(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => {
        if (part.type === 'tool')
          return [JSON.stringify(part.input), ...(part.output ?? []).map(contentText)];
        if (part.type === 'patch') return [];
        // A result without its call has a note before its text.
        return part.type === 'file'
          ? [part.data]
          : [part.text.replace(/^\[Result of the call [^\n]*\]\n/, '')];
      }),
    ),
  );
}

function contentText(content: { text: string } | { data: string }): string {
  return 'text' in content ? content.text : content.data;
}
