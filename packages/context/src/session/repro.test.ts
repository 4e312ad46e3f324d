import { describe, expect, it } from 'vitest';
import { countByClasses } from '../tokens.ts';
import { createContextSession } from './context-session.ts';
import type { MessageFormat, MessageReading } from './message-format.ts';
import { type OpenAiChatMessage, openAiChatFormat } from './openai-chat-format.ts';

const chat = (windowTokens: number, more = {}) =>
  createContextSession<OpenAiChatMessage>({
    format: openAiChatFormat(),
    windowTokens,
    maxOutputTokens: 1_000,
    ...more,
  });
const real = (messages: readonly unknown[]) =>
  messages.reduce<number>((sum, m) => sum + countByClasses(JSON.stringify(m)), 0);

describe('repro', () => {
  it('system messages', async () => {
    const session = chat(8_000);
    session.append([{ role: 'system', content: 'You help.' }]);
    let worst = 0;
    for (let turn = 0; turn < 70; turn += 1) {
      session.append([
        { role: 'system', content: `It is turn ${turn}. `.padEnd(1_200, 'The user likes short answers. ') },
        { role: 'user', content: `Question ${turn}` },
        { role: 'assistant', content: `Answer ${turn}` },
      ]);
      const { messages } = await session.fit();
      worst = Math.max(worst, real(messages));
    }
    expect(worst).toBeLessThan(8_000);
  });
  it('low detail images', async () => {
    const session = chat(32_000);
    const image = { type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'low' } };
    session.append([
      { role: 'user', content: [{ type: 'text', text: 'word '.repeat(2_000) }, image, image, image] },
    ]);
    await session.fit();
    session.learn(2_000 + 255 + 10);
    session.append([
      { role: 'assistant', content: 'word '.repeat(6_000) },
      { role: 'user', content: 'go' },
    ]);
    const { predictedTokens } = await session.fit();
    expect(predictedTokens).toBeGreaterThan(8_100);
  });
  it('langchain', async () => {
    interface Lc {
      type: string;
      content: string;
      calls?: { id: string; name: string; args: object }[];
      id?: string;
    }
    const format: MessageFormat<Lc> = {
      read(m): MessageReading {
        if (m.type === 'tool')
          return {
            role: 'tool',
            results: [{ callId: m.id ?? '', output: [{ type: 'text', text: m.content }], isError: false }],
          };
        const text = { type: 'text', text: m.content, state: 'done' } as const;
        if (m.type === 'human') return { role: 'user', parts: [text] };
        const calls = (m.calls ?? []).map(
          (c) => ({ type: 'tool', callId: c.id, name: c.name, input: c.args, state: 'pending' }) as never,
        );
        return { role: 'assistant', parts: [text, ...calls] };
      },
      rewrite(m, changes) {
        const text = changes.get(0);
        return {
          ...m,
          ...(text && 'text' in text ? { content: text.text } : {}),
          ...(m.calls
            ? {
                calls: m.calls.map((c, i) => {
                  const x = changes.get(i + 1);
                  return x && 'input' in x ? { ...c, args: x.input as object } : c;
                }),
              }
            : {}),
        };
      },
      userMessage: (content) => ({ type: 'human', content }),
      assistantMessage: (content) => ({ type: 'ai', content }),
      toolMessage: (call, content) => ({ type: 'tool', id: call.callId, content }),
    };
    const session = createContextSession({ format, windowTokens: 8_000, maxOutputTokens: 1_000 });
    session.append([{ type: 'human', content: 'go' }]);
    session.append([
      { type: 'ai', content: '', calls: [{ id: 'a', name: 'read', args: {} }] },
      { type: 'tool', id: 'a', content: 'line of text\n'.repeat(9_000) },
    ]);
    const { messages } = await session.fit();
    expect(real(messages)).toBeLessThan(8_000);
  });
  it('recall(null)', () => {
    expect(chat(8_000).recall(null as never)).toMatch(/^Pass either/);
  });
  it('two fits', async () => {
    let calls = 0;
    const session = chat(8_000, {
      summarise: async () => {
        calls += 1;
        await new Promise((r) => setTimeout(r, 5));
        return 'done things';
      },
    });
    session.append([{ role: 'user', content: 'go' }]);
    for (let i = 0; i < 20; i += 1)
      session.append([
        { role: 'assistant', content: `line ${i} `.repeat(200) },
        { role: 'user', content: 'on' },
      ]);
    const [a, b] = await Promise.all([session.fit(), session.fit()]);
    expect(calls).toBe(1);
    expect(a.compacted?.round).toBe(1);
    expect(b.messages).toEqual(a.messages);
  });
});
