import { describe, expect, it } from 'vitest';
import { independentCount } from '../../test/loops/independent-count.ts';
import { createContextSession } from './context-session.ts';
import { type OpenAiChatMessage, openAiChatFormat } from './openai-chat-format.ts';

const WINDOW_TOKENS = 8_000;

function chatSession(windowTokens = WINDOW_TOKENS) {
  return createContextSession<OpenAiChatMessage>({
    format: openAiChatFormat(),
    windowTokens,
    maxOutputTokens: 1_000,
  });
}

function systemMessage(turn: number, chars = 1_200): OpenAiChatMessage {
  return { role: 'system', content: `It is turn ${turn}. `.padEnd(chars, 'The user likes short answers. ') };
}

function turnOf(number: number): OpenAiChatMessage[] {
  return [
    { role: 'user', content: `Question ${number}` },
    { role: 'assistant', content: `Answer ${number}` },
  ];
}

describe('system messages of a chat', () => {
  it('leave every request within the window if one comes with every turn', async () => {
    const session = chatSession();
    const head: OpenAiChatMessage = { role: 'system', content: 'You help.' };
    session.append([head]);
    let rounds = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      const newest = systemMessage(turn);
      session.append([newest, ...turnOf(turn)]);
      const { messages, predictedTokens, compacted } = await session.fit();
      const realTokens = independentCount(messages, () => 0);
      expect(realTokens).toBeLessThan(WINDOW_TOKENS);
      expect(predictedTokens).toBeGreaterThan(realTokens * 0.85);
      expect(messages[0]).toBe(head);
      expect(messages).toContain(newest);
      rounds = compacted?.round ?? rounds;
    }
    expect(rounds).toBeGreaterThan(3);
    expect(session.recall({ query: 'turn 17' })).toContain('It is turn 17.');
  });

  it('keep the first if no system message precedes the chat', async () => {
    const session = chatSession();
    const first = systemMessage(-1);
    session.append([{ role: 'user', content: 'Hello' }, first]);
    for (let turn = 0; turn < 40; turn += 1) session.append([systemMessage(turn), ...turnOf(turn)]);
    const { messages, compacted } = await session.fit();
    expect(compacted).toBeDefined();
    expect(messages).toContain(first);
  });

  it('are never cut: one that is too large gives an error with its size', async () => {
    const session = chatSession();
    session.append([...turnOf(0), systemMessage(1, 60_000), ...turnOf(1)]);
    await expect(session.fit()).rejects.toMatchObject({
      code: 'context_exhausted',
      message: expect.stringMatching(/pinned messages \d{5}/),
      data: { pinnedTokens: expect.any(Number) },
    });
  });

  it('are compacted again in a state that has pinned all of them', async () => {
    const before = chatSession(32_000);
    for (let turn = 0; turn < 40; turn += 1) before.append([systemMessage(turn), ...turnOf(turn)]);
    const pins = Array.from({ length: 40 }, (_, turn) => {
      return { kind: 'pin' as const, id: `x${turn + 1}`, messageId: `m${turn * 3 + 1}`, createdAt: 0 };
    });
    const session = createContextSession<OpenAiChatMessage>({
      format: openAiChatFormat(),
      windowTokens: WINDOW_TOKENS,
      maxOutputTokens: 1_000,
      state: { version: 1, messages: before.toJSON().messages, marks: pins, ratio: 1, nextId: 41 },
    });
    const { messages } = await session.fit();
    expect(independentCount(messages, () => 0)).toBeLessThan(WINDOW_TOKENS);
  });
});

describe('parts that are sent whole', () => {
  it('are not counted as cut: reasoning that is too large gives an error', async () => {
    const session = chatSession();
    const answer = { role: 'assistant', content: 'So.', reasoning_content: 'I think. '.repeat(8_000) };
    session.append([{ role: 'user', content: 'Go' }, answer]);
    await expect(session.fit()).rejects.toMatchObject({ code: 'context_exhausted' });
  });

  it('name the sizes if there is no room after three compactions', async () => {
    const session = createContextSession<OpenAiChatMessage>({
      format: openAiChatFormat(),
      windowTokens: WINDOW_TOKENS,
      maxOutputTokens: 1_000,
      strategy: {
        name: 'never-enough',
        trigger: { kind: 'manual' },
        async plan() {
          return { hides: [], marks: [], wantsNarrative: false };
        },
      },
    });
    const answer = { role: 'assistant', content: 'So.', reasoning_content: 'I think. '.repeat(2_450) };
    session.append([{ role: 'user', content: 'Go' }, answer]);
    const error = await session.fit().then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: 'context_exhausted', data: { windowTokens: WINDOW_TOKENS } });
    expect(error?.message).toMatch(/System text and tools take \d+, the task \d+, the last message \d{4}/);
  });
});
