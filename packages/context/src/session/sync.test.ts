import { describe, expect, it } from 'vitest';
import { createContextSession } from './context-session.ts';
import { type OpenAiChatMessage, openAiChatFormat } from './openai-chat-format.ts';
import { isSame, snapshotOf } from './same-message.ts';
import type { ContextSession, ContextSessionState } from './session-types.ts';

function chatSession(state?: ContextSessionState<OpenAiChatMessage>): ContextSession<OpenAiChatMessage> {
  const options = { format: openAiChatFormat(), windowTokens: 8_000, maxOutputTokens: 1_000 };
  return createContextSession(state === undefined ? options : { ...options, state });
}

function turnOf(number: number, lines = 40): OpenAiChatMessage[] {
  return [
    { role: 'user', content: `Question ${number}` },
    { role: 'assistant', content: `Answer ${number}, line by line.\n`.repeat(lines) },
  ];
}

function turns(count: number): OpenAiChatMessage[] {
  return Array.from({ length: count }, (_, number) => turnOf(number)).flat();
}

describe('sync', () => {
  it('appends what is new, whether the host keeps the same objects or copies', async () => {
    const session = chatSession();
    const history = turns(2);
    expect(session.sync(history)).toBe(4);
    const copy = structuredClone([...history, ...turnOf(2)]);
    expect(session.sync(copy)).toBe(2);
    expect(session.sync(copy)).toBe(0);
    expect((await session.fit()).messages).toEqual(copy);
  });

  it('ignores the order of fields and fields that are undefined', () => {
    const session = chatSession();
    session.sync([{ role: 'user', content: 'Hello' }]);
    expect(
      session.sync([{ content: 'Hello', role: 'user', tool_call_id: undefined } as OpenAiChatMessage]),
    ).toBe(0);
  });

  it('throws if the host only keeps new messages, instead of losing the question', () => {
    const session = chatSession();
    session.sync(turns(2));
    const onlyNew: OpenAiChatMessage[] = [
      { role: 'assistant', content: 'Hm.' },
      { role: 'user', content: 'And now?' },
    ];
    expect(() => session.sync(onlyNew)).toThrow(
      /message 0 is \{"role":"assistant".*was appended.*whole history.*append\(\).*truncate\(0\)/s,
    );
    expect(session.messageCount).toBe(4);
  });

  it('throws if the history is shorter or a message was changed in place', () => {
    const session = chatSession();
    const history = turns(3);
    session.sync(history);
    expect(() => session.sync(history.slice(0, 4))).toThrow(
      /has 4 messages, but 6 were appended.*truncate\(4\)/,
    );
    const message = history[2];
    if (message !== undefined) message.content = 'Another question';
    expect(() => session.sync(history)).toThrow(/message 2 is .*Another question.*but .*Question 1/);
  });

  it('compares with the messages of a restored state', () => {
    const history = turns(2);
    const session = chatSession();
    session.sync(history);
    const restored = chatSession(JSON.parse(JSON.stringify(session)));
    expect(restored.sync([...history, ...turnOf(2)])).toBe(2);
    expect(() => restored.sync(turns(1))).toThrow(/diverges/);
  });

  it('appends nothing if one of the messages cannot be read', () => {
    const session = chatSession();
    const stray: OpenAiChatMessage = { role: 'tool', tool_call_id: 'c', content: 'x' };
    expect(() => session.sync([{ role: 'user', content: 'Hello' }, stray])).toThrow(
      /before any assistant message/,
    );
    expect(session.messageCount).toBe(0);
    expect(() => session.sync([{ role: 'human', content: 'Hello' }])).toThrow(
      /cannot read message 0: Unknown role "human"/,
    );
  });
});

describe('the comparison of sync', () => {
  it('sees every difference of content, but none of form', () => {
    const of = (content: unknown) => ({ role: 'user', content });
    const same: [unknown, unknown][] = [
      [{ a: 1, b: undefined }, { a: 1 }],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [new Uint8Array([1, 2]), Buffer.from([1, 2])],
      [new URL('https://a.example/'), new URL('https://a.example/')],
      [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ];
    const different: [unknown, unknown][] = [
      [{ a: 1 }, { a: 1, b: 2 }],
      [{ a: 1, b: 2 }, { a: 1 }],
      [['a'], { 0: 'a' }],
      [['a'], ['a', 'b']],
      [['a', 'b'], ['a']],
      [[], {}],
      [{ a: null }, { a: 0 }],
      ['1', 1],
      [new Uint8Array([1, 2]), new Uint8Array([1, 3])],
      [new Uint8Array([1]), new Uint8Array([1, 0])],
      [new URL('https://a.example/'), new URL('https://b.example/')],
    ];
    for (const [before, now] of same) expect(isSame(snapshotOf(of(before)), of(now))).toBe(true);
    for (const [before, now] of different) expect(isSame(snapshotOf(of(before)), of(now))).toBe(false);
  });
});

describe('truncate', () => {
  it('replaces an edited question and everything after it', async () => {
    const session = chatSession();
    session.sync(turns(3));
    session.truncate(2);
    const edited: OpenAiChatMessage[] = [...turnOf(0), { role: 'user', content: 'Something else' }];
    expect(session.sync(edited)).toBe(1);
    expect((await session.fit()).messages).toEqual(edited);
    expect(session.recall({ query: 'Question 1' })).toMatch(/^Nothing found/);
  });

  it('drops a compaction that knew a removed message, and keeps an older one', async () => {
    const session = chatSession();
    session.sync(turns(30));
    const first = await session.fit();
    expect(first.compacted?.round).toBe(1);
    const secret: OpenAiChatMessage[] = [{ role: 'user', content: 'The password is hunter2.' }, ...turns(30)];
    session.append(secret);
    const second = await session.fit();
    expect(second.compacted?.round).toBe(2);
    expect(JSON.stringify(second.messages)).toContain('hunter2');
    session.truncate(60);
    const restored = chatSession(JSON.parse(JSON.stringify(session)));
    for (const some of [session, restored]) {
      const { messages, compacted } = await some.fit();
      expect(compacted).toBeUndefined();
      expect(messages).toEqual(first.messages);
    }
    session.truncate(20);
    expect((await session.fit()).messages).toEqual(turns(10));
  });

  it('opens a call again whose result is removed', async () => {
    const session = chatSession();
    const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } };
    const result: OpenAiChatMessage = { role: 'tool', tool_call_id: 'c', content: 'a line\n'.repeat(20_000) };
    session.append([...turnOf(0), { role: 'assistant', content: null, tool_calls: [call] }, result]);
    expect((await session.fit()).compacted?.round).toBe(1);
    session.truncate(3);
    session.append([{ ...result, content: 'short' }]);
    expect((await session.fit()).messages.at(-1)).toEqual({ ...result, content: 'short' });
  });

  it('refuses a number that the session does not have', () => {
    const session = chatSession();
    session.sync(turns(1));
    for (const count of [-1, 3, 0.5, Number.NaN])
      expect(() => session.truncate(count)).toThrow(/from 0 to 2/);
    session.truncate(2);
    session.truncate(0);
    expect(session.messageCount).toBe(0);
  });
});
