import type { ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { aiSdkFormat } from './ai-sdk-format.ts';
import { withDecodedBytes, withEncodedBytes } from './bytes-in-json.ts';
import { createContextSession } from './context-session.ts';

const OPTIONS = { format: aiSdkFormat<ModelMessage>(), windowTokens: 8_000, maxOutputTokens: 1_000 };
const IMAGE: ModelMessage = {
  role: 'user',
  content: [{ type: 'file', mediaType: 'image/png', data: new Uint8Array([137, 80, 78, 71, 0, 255]) }],
};

/** A conversation of several windows, which has been compacted. */
async function longSession() {
  const session = createContextSession(OPTIONS);
  const history: ModelMessage[] = [{ role: 'user', content: 'The task.' }, IMAGE];
  for (let turn = 0; turn < 6; turn += 1)
    history.push(
      { role: 'assistant', content: `answer ${turn} ${'long ago '.repeat(900)}` },
      { role: 'user', content: `turn ${turn}` },
    );
  session.append(history);
  const { compacted } = await session.fit();
  expect(compacted).toBeDefined();
  return { session, history };
}

describe('a stored session', () => {
  it('keeps bytes as Base64, and the state has no copy of other messages', async () => {
    const { session, history } = await longSession();
    const state = session.toJSON();
    expect(state.messages?.[0]).toBe(history[0]);
    const restored = createContextSession({ ...OPTIONS, state: JSON.parse(JSON.stringify(session)) });
    expect(restored.messages).toEqual(history);
    expect(restored.sync(history)).toBe(0);
    expect((await restored.fit()).messages).toEqual((await session.fit()).messages);
  });

  it('continues from its marks and the messages that the program has stored', async () => {
    const { session, history } = await longSession();
    const marks = JSON.stringify(session.marksOnly());
    expect(marks).not.toContain('"messages"');
    const messages = [...history, { role: 'assistant' as const, content: 'More.' }];
    const restored = createContextSession({ ...OPTIONS, state: JSON.parse(marks), messages });
    const { messages: sent, compacted } = await restored.fit();
    expect(compacted).toBeUndefined();
    expect(sent.slice(0, -1)).toEqual((await session.fit()).messages);
    expect(sent.at(-1)).toBe(messages.at(-1));
  });

  it('refuses marks with too few messages, or messages twice', async () => {
    const { session, history } = await longSession();
    const state = session.marksOnly();
    expect(() => createContextSession({ ...OPTIONS, state })).toThrow(/14 messages, but 0 were passed/);
    expect(() => createContextSession({ ...OPTIONS, state, messages: history.slice(1) })).toThrow(
      /Pass the whole/,
    );
    expect(() => createContextSession({ ...OPTIONS, state: session.toJSON(), messages: history })).toThrow(
      /Both the state and the option/,
    );
  });

  it('begins with messages alone', () => {
    expect(createContextSession({ ...OPTIONS, messages: [IMAGE] }).messageCount).toBe(1);
  });

  it.each([0, 1, 2, 3, 4, 5, 255, 256])('encodes %i bytes as other programs do', (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + 11) & 255);
    const encoded: unknown = withEncodedBytes({ a: [bytes] });
    expect(encoded).toEqual({ a: [{ $bytes: Buffer.from(bytes).toString('base64') }] });
    expect(withDecodedBytes(encoded)).toEqual({ a: [bytes] });
  });
});
