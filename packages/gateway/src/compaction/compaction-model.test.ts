import type { SummaryReply } from '@longhaul/context/engine';
import { describe, expect, it } from 'vitest';
import { chat, contextWith, selectingModel, textsOf } from '../../test/compaction-support.ts';

const base = { model: 'm', windowTokens: 8_192 };
const LONG = chat(40);
const ok = (text: string, finishedBy: 'stop' | 'length' = 'stop'): SummaryReply => ({
  status: 'ok',
  text,
  finishedBy,
});

/** Checks that as many messages stay as without a model. */
async function fallbackOf(answer: Parameters<typeof selectingModel>[0], compactionTimeoutMs?: number) {
  const model = selectingModel(answer);
  const settings = compactionTimeoutMs === undefined ? {} : { compactionTimeoutMs };
  const { context } = contextWith({ askModel: model.askModel, settings });
  const prepared = await context.prepare({ ...base, messages: LONG });
  expect(model.asks.length).toBe(1);
  const alone = await contextWith().context.prepare({ ...base, messages: LONG });
  const sent = (messages: typeof prepared.messages) => messages.filter((message) => LONG.includes(message));
  expect(sent(prepared.messages)).toEqual(sent(alone.messages));
  expect(textsOf(prepared.messages)).toContain('### User instructions (verbatim)');
  return prepared;
}

describe('the compacting model', () => {
  it('selects with both forms of the answer, in a fence or after thoughts', async () => {
    const forms = [
      '```json\n{"keep": ["m3", "m4"], "condense": [{"id": "m5", "text": "Asked about rivers."}], "summary": "A talk."}\n```',
      '<think>{"keep": []} or rather</think>{"prunedConversation": [{"id": "m3"}, {"id": "m4"}], "summary": "A talk.", "originalTokens": 1, "prunedTokens": 1}',
    ];
    for (const form of forms) {
      const { context } = contextWith({ askModel: selectingModel(() => ok(form)).askModel });
      const { messages, warnings } = await context.prepare({ ...base, messages: LONG });
      expect(messages).toContain(LONG[3]);
      expect(messages).toContain(LONG[4]);
      expect(messages).not.toContain(LONG[5]);
      expect(textsOf(messages)).toContain('A talk.');
      expect(warnings).toEqual([]);
    }
  });

  it('gets a request that fits its window, in one message and without tools', async () => {
    const model = selectingModel();
    const { context, tokenizer } = contextWith({ askModel: model.askModel });
    const tools = [{ type: 'function', function: { name: 'f' } } as const];
    await context.prepare({ ...base, messages: chat(400), tools });
    const [ask] = model.asks;
    expect(ask?.messages.map(({ role }) => role)).toEqual(['user']);
    expect(ask?.tools).toBeUndefined();
    const tokens = tokenizer.count(String(ask?.messages[0]?.content));
    expect(tokens + (ask?.maxTokens ?? 0)).toBeLessThanOrEqual(8_192);
    expect(ask?.model).toBe('m');
    expect(ask?.messages[0]?.content).toMatch(/in its language\. .* at most \d+ words\.$/);
  });

  it('keeps as much as without a model after a useless, endless or missing answer', async () => {
    const useless = [
      ok('I cannot do that.'),
      ok(''),
      ok('{"keep": [], "condense": [', 'length'),
      ok('{"keep": [], "more": "'.repeat(50_000)),
      ok('la '.repeat(100_000)),
      ok('[1, 2, 3]'),
      { status: 'failed', reason: 'the model is not loaded' },
    ] as const;
    for (const answer of useless)
      expect((await fallbackOf(() => answer)).warnings.join()).toContain('No selection');
    const thrown = await fallbackOf(() => Promise.reject(new Error('connect ECONNREFUSED')));
    expect(thrown.warnings.join()).toContain('ECONNREFUSED');
    // It ignores its signal, too.
    const silent = await fallbackOf(() => new Promise(() => {}), 20);
    expect(silent.warnings.join()).toContain('did not answer within 20 ms');
  });

  const PLANTED = Array.from({ length: 60 }, (_, index) => `planted${index}`);
  const SUMMARY = PLANTED.map((word, index) => `In step ${index} we met ${word} there.`).join(' ');
  const GOOD = JSON.stringify({ keep: ['m3'], condense: [], summary: SUMMARY });

  it.each([
    { what: 'JSON', answer: ok(GOOD) },
    { what: 'prose', answer: ok(SUMMARY) },
    { what: 'JSON without a list of messages', answer: ok(JSON.stringify({ summary: SUMMARY })) },
    { what: 'line breaks in texts', answer: ok(GOOD.replaceAll('there. ', 'there.\n')) },
    { what: 'a trailing comma', answer: ok(GOOD.replace('}', ',}')) },
    {
      what: 'capitalised keys',
      answer: ok(GOOD.replace('"keep"', '"Keep"').replace('"summary"', '"Summary"')),
    },
    {
      what: 'a list as summary',
      answer: ok(JSON.stringify({ keep: [], summary: SUMMARY.split(/(?<=\.) /) })),
    },
    { what: 'an object as summary', answer: ok(JSON.stringify({ keep: [], summary: { done: SUMMARY } })) },
    { what: 'no end', answer: ok(GOOD.slice(0, -40), 'length'), words: 57 },
    { what: 'prose without its end', answer: ok(SUMMARY.slice(0, -40), 'length'), words: 57 },
    {
      what: 'a summary that is far too long',
      answer: ok(`${SUMMARY} ${'And so on we went. '.repeat(2_000)}`),
    },
  ])('uses the summary of an answer with $what, and fills the room', async ({ answer, words = 60 }) => {
    const { context } = contextWith({ askModel: selectingModel(() => answer).askModel });
    const { messages, estimatedTokens } = await context.prepare({ ...base, messages: LONG });
    const text = textsOf(messages);
    expect(PLANTED.filter((word) => text.includes(word)).length).toBeGreaterThanOrEqual(words);
    // A compaction may leave 3,332 tokens.
    expect(estimatedTokens).toBeGreaterThan(3_332 * 0.8);
    expect(estimatedTokens).toBeLessThanOrEqual(3_332);
    expect(messages.filter((message) => LONG.includes(message)).length).toBeGreaterThan(6);
  });

  it('keeps the previous summary if the next answer cannot be used', async () => {
    const answers = [GOOD, 'I cannot do that.'];
    const model = selectingModel(() => ok(answers[model.asks.length - 1] ?? ''));
    const { context } = contextWith({ askModel: model.askModel });
    await context.prepare({ ...base, messages: LONG });
    const { messages, compacted } = await context.prepare({ ...base, messages: chat(70) });
    expect(compacted?.round).toBe(2);
    expect(PLANTED.filter((word) => textsOf(messages).includes(word)).length).toBe(60);
  });

  it('cannot keep more messages than fit or write a summary of one endless word', async () => {
    const ids = Array.from({ length: 80 }, (_, index) => `m${index + 1}`);
    const greedy = JSON.stringify({ keep: ids, condense: [], summary: 's'.repeat(40_000) });
    const { context } = contextWith({ askModel: selectingModel(() => ok(greedy)).askModel });
    const { estimatedTokens, originalTokens, messages } = await context.prepare({ ...base, messages: LONG });
    expect(estimatedTokens).toBeLessThan(originalTokens * 0.6);
    expect(textsOf(messages)).not.toContain('sssssss');
  });

  it('can be another model with its own window', async () => {
    const model = selectingModel();
    const other = {
      askModel: model.askModel,
      compactionModel: { model: 'small', windowTokens: () => 1_024 },
    };
    const small = await contextWith(other).context.prepare({ ...base, messages: LONG });
    expect(small.warnings.join()).toContain('does not fit into the window of "small"');
    expect(model.asks.length).toBe(0);
    const large = {
      askModel: model.askModel,
      compactionModel: { model: 'large', windowTokens: () => 131_072 },
    };
    await contextWith(large).context.prepare({ ...base, messages: LONG });
    expect(model.asks[0]?.model).toBe('large');
  });
});
