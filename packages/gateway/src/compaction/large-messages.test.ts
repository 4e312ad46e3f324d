import type { ChatMessage } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import {
  assistant,
  chat,
  contextWith,
  SYSTEM,
  selectingModel,
  user,
  words,
} from '../../test/compaction-support.ts';

const WINDOW = 8_192;
/** The largest request: the window minus 1,000 tokens for the answer and a margin of 2 %. */
const MOST = 7_028;
const base = { model: 'm', windowTokens: WINDOW };

function step(...texts: string[]): ChatMessage[] {
  const calls = texts.map((_, index) => ({
    id: `c${index}`,
    type: 'function' as const,
    function: { name: 'read', arguments: `{"path":"src/${index}.ts"}` },
  }));
  return [
    user('Read it.'),
    { role: 'assistant', content: null, tool_calls: calls },
    ...texts.map((content, index): ChatMessage => ({ role: 'tool', tool_call_id: `c${index}`, content })),
  ];
}

/** The messages to be answered, of `tokens` tokens. */
const NEWEST: Record<string, (tokens: number) => ChatMessage[]> = {
  question: (tokens) => [user(words(1, tokens * 4))],
  result: (tokens) => step(words(1, tokens * 4)),
  'two results': (tokens) => step(words(1, tokens), words(2, tokens * 3)),
};
const BEFORE: Record<string, ChatMessage[]> = {
  nothing: [SYSTEM],
  'a few words': [SYSTEM, user('Hello'), assistant('Hello! What can I do?')],
  'a long talk': [...chat(15), assistant('Fine.')],
  'another document': [SYSTEM, user(words(77, 8_000)), assistant('Noted.')],
};
const MODELS = {
  none: () => undefined,
  selecting: () => selectingModel(),
  'one that fails': () => selectingModel(() => ({ status: 'failed', reason: 'away' })),
};

const cases = Object.keys(BEFORE).flatMap((before) =>
  Object.keys(NEWEST).flatMap((newest) =>
    Object.keys(MODELS).map((model) => [newest, before, model] as const),
  ),
);

describe.each(cases)('a %s after %s, with model %s', (newest, before, model) => {
  const prepare = (tokens: number) => {
    const asked = MODELS[model as keyof typeof MODELS]();
    const { context } = contextWith({ askModel: asked?.askModel });
    const messages = [...(BEFORE[before] ?? []), ...(NEWEST[newest]?.(tokens) ?? [])];
    return { messages, prepared: context.prepare({ ...base, messages }) };
  };
  const resultsOf = (messages: readonly ChatMessage[]) => messages.slice(newest === 'two results' ? -2 : -1);

  it('stays whole if it fits the window, and otherwise loses only what is necessary', async () => {
    for (const tokens of [4_200, 5_000, 5_700, 6_200, 6_700]) {
      const { messages, prepared } = prepare(tokens);
      const { messages: sent, estimatedTokens } = await prepared;
      expect(resultsOf(sent)).toEqual(resultsOf(messages));
      expect(estimatedTokens).toBeLessThanOrEqual(MOST);
    }
    for (const tokens of [7_060, 7_400, 9_000, 30_000]) {
      const { messages, prepared } = prepare(tokens);
      const { messages: sent, estimatedTokens } = await prepared;
      expect(estimatedTokens).toBeLessThanOrEqual(MOST);
      expect(estimatedTokens).toBeGreaterThan(MOST * 0.96);
      const chars = (list: readonly ChatMessage[]) =>
        resultsOf(list).reduce((sum, { content }) => sum + String(content).length, 0);
      expect(chars(sent)).toBeLessThan(chars(messages));
      expect(chars(sent)).toBeGreaterThan(MOST * 0.93 * 4);
      expect(JSON.stringify(resultsOf(sent))).toMatch(/characters cut here …/);
    }
  });
});

it('passes a fitting request with nothing to hide unchanged, without a notice or a query to a model', async () => {
  const model = selectingModel();
  const { context, cache } = contextWith({ askModel: model.askModel });
  for (const newest of Object.values(NEWEST)) {
    const messages = [...(BEFORE['a few words'] ?? []), ...newest(6_500)];
    const notices: unknown[] = [];
    const prepared = await context.prepare(
      { ...base, messages },
      { onNotice: (notice) => notices.push(notice) },
    );
    expect(prepared.messages).toBe(messages);
    expect(prepared.warnings).toEqual([]);
    expect(notices).toEqual([]);
  }
  expect(model.asks.length).toBe(0);
  expect(cache.values.size).toBe(0);
});

it('leaves the room that the client wants for the answer', async () => {
  const { context } = contextWith();
  const messages = [...(BEFORE['a long talk'] ?? []), user(words(1, 6_000 * 4))];
  const prepared = await context.prepare({ ...base, messages, maxTokens: 3_000 });
  expect(prepared.estimatedTokens).toBeLessThanOrEqual(WINDOW - 3_000);
  expect(prepared.estimatedTokens).toBeGreaterThan((WINDOW - 3_000) * 0.93);
});

it('leaves a quarter of the window after a refusal, and keeps the question whole if it fits', async () => {
  for (const [tokens, isWhole] of [
    [5_500, true],
    [6_500, false],
  ] as const) {
    const { context } = contextWith();
    const messages = [...(BEFORE['a long talk'] ?? []), user(words(1, tokens * 4))];
    const refused = { windowTokens: WINDOW };
    const prepared = await context.prepare({ ...base, windowTokens: 1e12, messages }, { refused });
    expect(prepared.messages.at(-1)?.content === messages.at(-1)?.content).toBe(isWhole);
    expect(prepared.estimatedTokens).toBeLessThanOrEqual(WINDOW * 0.75);
  }
});

describe.each(Object.keys(MODELS))('a follow-up to a document, with model %s', (kind) => {
  const contextOf = () => {
    const model = MODELS[kind as keyof typeof MODELS]();
    return contextWith({ askModel: model?.askModel }).context;
  };
  const marked = (tokens: number) => `The head. ${words(1, tokens * 4)} The tail.`;

  it('shows as much of it as fits, and less in later turns', async () => {
    for (const opening of [chat(6), [SYSTEM]]) {
      const context = contextOf();
      const history: ChatMessage[] = [...opening];
      if (opening.length > 1) history.push(assistant('Fine.'));
      history.push(user(marked(6_000)));
      const shares: number[] = [];
      for (let turn = 0; turn < 24; turn += 1) {
        const { messages, estimatedTokens } = await context.prepare({ ...base, messages: [...history] });
        expect(estimatedTokens).toBeLessThanOrEqual(MOST);
        const document = messages.find(({ content }) => String(content).startsWith('The head.'));
        const shown = String(document?.content ?? '');
        if (shown !== '') expect(shown).toMatch(/The tail\.$/);
        shares.push(shown.length / marked(6_000).length);
        history.push(assistant(words(turn + 900, 900)), user(`And ${turn}? ${words(turn + 300, 100)}`));
      }
      expect(shares[0]).toBe(1);
      // The first cut, when it no longer fits beside the talk, leaves over 30 % of it.
      const [firstCut = 0] = shares.filter((share) => share < 1);
      expect(firstCut).toBeGreaterThan(0.3);
      expect(shares.at(-1)).toBeLessThan(firstCut / 2);
      for (const [index, share] of shares.entries())
        expect(share).toBeLessThanOrEqual(shares[index - 1] ?? 1);
    }
  });

  it('shows a tool result of the previous turn', async () => {
    const found = step(marked(4_500));
    const messages = [...chat(6), assistant('Fine.'), ...found, assistant('Read.'), user(words(5, 3_500))];
    const { messages: sent, estimatedTokens } = await contextOf().prepare({ ...base, messages });
    const result = String(sent.find(({ role }) => role === 'tool')?.content);
    expect(result).toMatch(/^The head\..*characters cut here.*The tail\.$/s);
    expect(result.length).toBeGreaterThan(3_000);
    expect(estimatedTokens).toBeLessThan(3_333);
  });
});
