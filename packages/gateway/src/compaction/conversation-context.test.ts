import type { SummaryReply } from '@longhaul/context/engine';
import { type ChatMessage, LonghaulError } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import {
  assistant,
  chat,
  contextWith,
  mapCache,
  SYSTEM,
  selectingModel,
  textsOf,
  user,
  words,
} from '../../test/compaction-support.ts';
import { dueInputTokens } from './output-room.ts';
import type { ContextNotice } from './types.ts';

const WINDOW = 8_192;
const base = { model: 'm', windowTokens: WINDOW };
/** A conversation far over the threshold. */
const LONG = chat(40);

/** A greeting and an answer. A request with them has exactly `tokens` tokens. */
function talk(tokens: number) {
  return [user('Hi, you'), assistant('x'.repeat((tokens - 13) * 4))];
}

describe('before a request', () => {
  it('returns the received array below the threshold and compacts at exactly the threshold', async () => {
    const { context, cache } = contextWith();
    const due = dueInputTokens(WINDOW, 0.8);
    const messages = [...talk(due - 1 - 10), user('b'.repeat(24))];
    const prepared = await context.prepare({ ...base, messages });
    expect(prepared.estimatedTokens).toBe(due - 1);
    expect(prepared.messages).toBe(messages);
    expect(prepared).toMatchObject({ isRewritten: false, originalTokens: due - 1, restarts: 0 });
    const one = [...messages.slice(0, 2), user('b'.repeat(25))];
    const compacted = await context.prepare({ ...base, messages: one });
    expect(compacted.originalTokens).toBe(due);
    expect(compacted.isRewritten).toBe(true);
    expect(cache.values.size).toBe(1);
  });

  it('counts tools and the room that the client wants for the answer', async () => {
    const { context } = contextWith();
    const messages = chat(21);
    const plain = await context.prepare({ ...base, messages });
    expect(plain.isRewritten).toBe(false);
    const parameters = { text: 'p'.repeat(8_000) };
    const tools = [{ type: 'function', function: { name: 'f', parameters } } as const];
    expect((await context.prepare({ ...base, messages, tools })).isRewritten).toBe(true);
    const { context: other } = contextWith();
    expect((await other.prepare({ ...base, messages, maxTokens: 4_000 })).isRewritten).toBe(true);
    // An unrealistic value is ignored.
    expect((await contextWith().context.prepare({ ...base, messages, maxTokens: 32_000 })).isRewritten).toBe(
      false,
    );
  });

  it('gives the summary an empty reasoning text only if the client sends reasoning', async () => {
    const thinking = LONG.map((message) =>
      message.role === 'assistant' ? { ...message, reasoning_content: 'Hm.' } : message,
    );
    for (const messages of [LONG, thinking]) {
      const prepared = await contextWith().context.prepare({ ...base, messages });
      expect(prepared.isRewritten).toBe(true);
      const added = prepared.messages.filter((message) => !messages.includes(message));
      const answers = added.filter(({ role }) => role === 'assistant');
      expect(answers).not.toEqual([]);
      const expected = messages === thinking ? '' : undefined;
      for (const answer of answers) expect(answer.reasoning_content).toBe(expected);
    }
  });

  it('keeps system text, the first and the last question, and emits notices', async () => {
    const { context } = contextWith();
    const notices: ContextNotice[] = [];
    const prepared = await context.prepare(
      { ...base, messages: LONG },
      { onNotice: (notice) => notices.push(notice) },
    );
    const { messages, compacted } = prepared;
    expect(messages[0]).toBe(LONG[0]);
    expect(messages[1]).toBe(LONG[1]);
    expect(messages.at(-1)).toBe(LONG.at(-1));
    expect(textsOf(messages)).toContain('## Session Summary (Compaction Round 1)');
    expect(textsOf(messages)).not.toMatch(/recall/i);
    expect(compacted).toMatchObject({
      before: prepared.originalTokens,
      after: prepared.estimatedTokens,
      round: 1,
      isFromCache: false,
    });
    expect(notices).toEqual([
      { kind: 'compacting', estimatedTokens: prepared.originalTokens, windowTokens: WINDOW },
      {
        kind: 'compacted',
        before: prepared.originalTokens,
        after: prepared.estimatedTokens,
        round: 1,
        kept: messages.filter((message) => LONG.includes(message)).length,
        isByModel: false,
      },
    ]);
  });

  it('compacts older system messages of a chat, and keeps the newest', async () => {
    const { context } = contextWith();
    const messages: ChatMessage[] = [SYSTEM];
    let rewritten = 0;
    for (let turn = 0; turn < 60; turn += 1) {
      const newest: ChatMessage = { role: 'system', content: words(turn * 200, 1_200) };
      messages.push(newest, user(`Question ${turn}`));
      const prepared = await context.prepare({ ...base, messages });
      expect(textsOf(prepared.messages).length / 4).toBeLessThan(WINDOW);
      expect(prepared.messages).toContain(newest);
      if (prepared.isRewritten) rewritten += 1;
      messages.push(assistant(`Answer ${turn}`));
    }
    expect(rewritten).toBeGreaterThan(10);
  });

  it('passes side requests unchanged while they fit, and stores no compaction of larger ones', async () => {
    const { context, cache } = contextWith();
    const text = (turns: number) =>
      `### Task:\nWrite a title.\n<chat_history>\n${words(1, turns * 800)}\n</chat_history>`;
    const fits = [user(text(34))];
    expect((await context.prepare({ ...base, messages: fits, maxTokens: 50 })).messages).toBe(fits);
    const prepared = await context.prepare({ ...base, messages: [user(text(60))], maxTokens: 50 });
    expect(prepared.isRewritten).toBe(true);
    expect(String(prepared.messages[0]?.content)).toMatch(
      /^### Task:.*characters cut here.*<\/chat_history>$/s,
    );
    expect(cache.values.size).toBe(0);
  });
});

describe('a stored compaction', () => {
  it('gives the same bytes for the same beginning, and the next one compacts only new messages', async () => {
    const model = selectingModel();
    const { context } = contextWith({ askModel: model.askModel });
    const first = await context.prepare({ ...base, messages: LONG });
    const again = await context.prepare({ ...base, messages: JSON.parse(JSON.stringify(LONG)) });
    expect(JSON.stringify(again.messages)).toBe(JSON.stringify(first.messages));
    expect(again.compacted?.isFromCache).toBe(true);
    const next = [...LONG, assistant('Answer 40'), user('Question 41')];
    const later = await context.prepare({ ...base, messages: next });
    expect(JSON.stringify(later.messages.slice(0, -2))).toBe(JSON.stringify(first.messages));
    expect(model.asks.length).toBe(1);
    const grown = [
      ...LONG,
      ...chat(30)
        .slice(1)
        .map((message) => ({ ...message, content: `again ${message.content}` })),
    ];
    const second = await context.prepare({ ...base, messages: grown });
    expect(second.compacted).toMatchObject({ round: 2, isFromCache: false });
    // The messages hidden by the first round are shown to no model again.
    expect(textsOf(model.asks[1]?.messages ?? [])).not.toMatch(/(?<!again )Answer 5:/);
    expect(textsOf(second.messages)).toContain('This is summary 2 of');
    expect(textsOf(second.messages)).not.toContain('This is summary 1 of');
  });

  it('applies after a restart, with another system text, and with another form of the same content', async () => {
    const { context, cache } = contextWith();
    const first = await context.prepare({ ...base, messages: LONG });
    const { context: restarted } = contextWith({ cache });
    const changed = LONG.map((message, index) =>
      index === 0
        ? { ...message, content: 'It is Tuesday. You are helpful.' }
        : { ...message, content: [{ type: 'text', text: String(message.content) }] },
    );
    const second = await restarted.prepare({ ...base, messages: changed });
    expect(second.compacted?.isFromCache).toBe(true);
    const summary = first.messages.find(({ content }) => String(content).startsWith('## Session Summary'));
    expect(second.messages).toContainEqual(summary);
  });

  it('applies to a regenerated answer, but not if a hidden message was edited', async () => {
    const model = selectingModel();
    const { context } = contextWith({ askModel: model.askModel });
    const round1 = await context.prepare({ ...base, messages: LONG });
    const grown = [...LONG, assistant('Answer 40'), ...chat(70).slice(81)];
    const round2 = await context.prepare({ ...base, messages: grown });
    expect(round2.compacted?.round).toBe(2);
    // Going back to before the second compaction finds the first.
    const regenerated = [...LONG, assistant('Another answer 40'), user('And now?')];
    const back = await context.prepare({ ...base, messages: regenerated });
    expect(back.compacted).toMatchObject({ round: 1, isFromCache: true });
    expect(JSON.stringify(back.messages.slice(0, -2))).toBe(JSON.stringify(round1.messages));
    // An edit of a message that only the second compaction hides.
    const edited = grown.map((message, index) => (index === 85 ? user('Something else entirely') : message));
    const other = await context.prepare({ ...base, messages: edited });
    expect(other.compacted).toMatchObject({ round: 2, isFromCache: false });
    const early = LONG.map((message, index) => (index === 5 ? user('Edited early') : message));
    expect((await context.prepare({ ...base, messages: early })).compacted).toMatchObject({
      round: 1,
      isFromCache: false,
    });
  });

  it('names nothing that only a later message has, so it serves chats that continue in another way', async () => {
    const { context } = contextWith();
    const shared = [...chat(30), assistant(words(9_000, 300))];
    const prepare = (question: string) =>
      context.prepare({ model: 'm', windowTokens: WINDOW, messages: [...shared, user(question)] });
    const first = await prepare('What does account ACME-4711 owe, and does src/secret.ts read it?');
    const second = await prepare('What is the weather in Bonn?');
    expect([first, second].map(({ compacted }) => compacted?.isFromCache)).toEqual([false, true]);
    expect(textsOf(second.messages)).toContain('## Session Summary');
    for (const part of ['ACME', 'secret.ts', '### Current request'])
      expect(textsOf(second.messages)).not.toContain(part);
    expect(second.messages.at(-1)).toEqual(user('What is the weather in Bonn?'));
  });

  it('is not used for another client or chat, since its model has also read later messages', async () => {
    const { context } = contextWith({ askModel: selectingModel().askModel });
    const isFound = async (owner: { client?: string; chatId?: string }) =>
      (await context.prepare({ ...base, ...owner, messages: LONG })).compacted?.isFromCache;
    expect(await isFound({ client: 'a', chatId: '1' })).toBe(false);
    expect(await isFound({ client: 'b', chatId: '1' })).toBe(false);
    expect(await isFound({ client: 'a', chatId: '2' })).toBe(false);
    expect(await isFound({ client: 'a', chatId: '1' })).toBe(true);
  });

  it('is not used if the model is loaded with a larger window', async () => {
    const { context } = contextWith();
    expect((await context.prepare({ ...base, messages: LONG })).isRewritten).toBe(true);
    const large = await context.prepare({ ...base, windowTokens: 32_768, messages: LONG });
    expect(large.messages).toBe(LONG);
    const small = await context.prepare({ ...base, windowTokens: 3_072, messages: LONG });
    expect(small.estimatedTokens).toBeLessThan(dueInputTokens(3_072, 0.8));
    expect(small.compacted).toMatchObject({ round: 2, isFromCache: false });
  });

  it('is made once for two equal concurrent requests, and is aborted when no caller waits', async () => {
    const gate = Promise.withResolvers<SummaryReply>();
    const model = selectingModel(() => gate.promise);
    const { context, cache } = contextWith({ askModel: model.askModel });
    const leaving = new AbortController();
    const started: string[] = [];
    const left = context.prepare(
      { ...base, messages: LONG },
      { signal: leaving.signal, onNotice: ({ kind }) => started.push(`left ${kind}`) },
    );
    const stays = context.prepare(
      { ...base, messages: LONG },
      { onNotice: ({ kind }) => started.push(kind) },
    );
    await expect.poll(() => model.asks.length).toBe(1);
    // Both wait for the same work.
    await expect.poll(() => started.length).toBe(2);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    expect(model.asks[0]?.signal.aborted).toBe(false);
    gate.resolve({
      status: 'ok',
      text: '{"keep":[],"condense":[],"summary":"All of it."}',
      finishedBy: 'stop',
    });
    expect(textsOf((await stays).messages)).toContain('All of it.');
    // Either of the two may begin first.
    expect(started.toSorted()).toEqual(['compacted', 'compacting', 'left compacting']);
    // The compaction, and the key that finds it if the beginning is dropped.
    expect(cache.writes).toBe(2);

    const gone = new AbortController();
    const { askModel, asks } = selectingModel(() => new Promise(() => {}));
    const other = contextWith({ askModel });
    const alone = other.context.prepare({ ...base, messages: LONG }, { signal: gone.signal });
    await expect.poll(() => asks.length).toBe(1);
    gone.abort();
    await expect(alone).rejects.toMatchObject({ code: 'cancelled' });
    expect(asks[0]?.signal.aborted).toBe(true);
    expect(other.cache.values.size).toBe(0);
  });

  it('is replaced by a new one if the cache fails or returns damaged text', async () => {
    const cache = mapCache();
    const failure = new LonghaulError('store_full', 'The disk is full.');
    cache.getFirst = () => Promise.reject(failure);
    cache.set = () => Promise.reject(failure);
    const { context } = contextWith({ cache });
    const prepared = await context.prepare({ ...base, messages: LONG });
    expect(prepared.isRewritten).toBe(true);
    expect(prepared.warnings.join(' ')).toMatch(/could not be read.*could not be stored.*disk is full/s);
    // This process knows it anyway.
    expect((await context.prepare({ ...base, messages: LONG })).compacted?.isFromCache).toBe(true);

    const { context: writer, cache: written } = contextWith();
    await writer.prepare({ ...base, messages: LONG });
    for (const key of written.values.keys()) written.values.set(key, '{"version":1,"compaction":');
    const { context: reader } = contextWith({ cache: written });
    expect((await reader.prepare({ ...base, messages: LONG })).compacted).toMatchObject({
      round: 1,
      isFromCache: false,
    });
  });
});

it('does not compact if system text fills the window, and does not repeat a useless compaction each turn', async () => {
  const model = selectingModel();
  const { context } = contextWith({ askModel: model.askModel });
  const talk = (systemTokens: number) => [
    { ...SYSTEM, content: words(1, systemTokens * 4) },
    ...[user('Hello'), assistant('Hello!'), user('How are you?')],
  ];
  const notices: ContextNotice[] = [];
  const prepare = (messages: ChatMessage[]) =>
    context.prepare({ ...base, messages }, { onNotice: (notice) => notices.push(notice) });
  const fits = talk(6_000);
  expect(await prepare(fits)).toMatchObject({ messages: fits, warnings: [] });
  expect(notices).toEqual([]);
  const full = talk(7_050);
  const first = await prepare(full);
  expect(first.messages).toBe(full);
  expect(first.warnings.join()).toContain('System text and tools take');
  expect(notices.length).toBe(1);
  const next = [...full, assistant('Fine.'), user('And now?')];
  expect((await prepare(next)).messages).toBe(next);
  expect(notices.length).toBe(1);
  expect(model.asks.length).toBe(0);
});

it('shows a question that is asked again even if a later compaction hides it', async () => {
  const failing = () => selectingModel(() => ({ status: 'failed', reason: 'away' })).askModel;
  for (const windowTokens of [2_048, 4_096, 8_192]) {
    const { context } = contextWith({ askModel: failing() });
    const history: ChatMessage[] = [SYSTEM];
    const prepare = (length: number) =>
      context.prepare({ model: 'm', windowTokens, messages: history.slice(0, length) });
    for (let turn = 1; turn <= 60; turn += 1) {
      history.push(user(`Asked ${turn}: ${words(turn + 300, 60)}`));
      await prepare(history.length);
      history.push(assistant(`Said ${turn}: ${words(turn + 900, 560)}`));
    }
    for (let length = 2; length <= history.length; length += 2) {
      const { messages, estimatedTokens } = await prepare(length);
      expect(messages.at(-1)).toBe(history[length - 1]);
      expect(estimatedTokens).toBeLessThan(windowTokens * 0.75);
    }
  }
});

it('queries the window again before a new compaction only', async () => {
  const model = selectingModel();
  const { context } = contextWith({ askModel: model.askModel });
  const asked: number[] = [];
  let loaded = 16_384;
  const windowNow = async () => {
    asked.push(loaded);
    return loaded;
  };
  const notices: ContextNotice[] = [];
  const prepare = (messages: ChatMessage[]) =>
    context.prepare({ ...base, messages }, { windowNow, onNotice: (notice) => notices.push(notice) });
  expect((await prepare(chat(10))).isRewritten).toBe(false);
  expect(asked).toEqual([]);
  // The model has been loaded with a larger window, and the request fits.
  const larger = await prepare(LONG);
  expect(larger).toMatchObject({ isRewritten: false, request: { windowTokens: 16_384 } });
  expect([asked.length, model.asks.length, notices.length]).toEqual([1, 0, 0]);
  loaded = WINDOW;
  expect((await prepare(LONG)).compacted?.isFromCache).toBe(false);
  expect([asked.length, model.asks.length, notices.length]).toEqual([2, 1, 2]);
  expect((await prepare(LONG)).compacted?.isFromCache).toBe(true);
  expect(asked.length).toBe(2);
});
