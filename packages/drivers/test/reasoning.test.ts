import type { CallSettings } from '@longhaul/models';
import { createMemoryServerMemory, createMemoryStore } from '@longhaul/storage/memory';
import { INFO } from '@longhaul/testing/doubles';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type StartOptions, startOn } from './run-on-server.ts';
import type { Said } from './thinking-server.ts';
import { answersIn, DEEPSEEK, GROQ, KIMI, startThinkingServer } from './thinking-server.ts';

const look = (at: number): Said => ({ thought: `Look at ${at}.`, look: { at } });

async function serve(rule: Parameters<typeof startThinkingServer>[0], ...said: Said[]) {
  const server = await startThinkingServer(rule, ...said);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const modelNamed = (model: string): StartOptions => ({ model, info: { ...INFO, provider: 'local', model } });

/** Whether each request begins with the whole previous one. */
function areAppended(requests: readonly object[][]): boolean {
  return requests.every((messages, index) => {
    const before = requests[index - 1] ?? [];
    return JSON.stringify(messages.slice(0, before.length)) === JSON.stringify(before);
  });
}

describe('the reasoning of earlier answers', () => {
  it.each(['deepseek-v4-flash', 'deepseek-chat', 'deepseek-ai/DeepSeek-V3.2'])(
    'is in every answer of later turns for %s, so that the prefix stays the same',
    async (model) => {
      const server = await serve(
        DEEPSEEK,
        look(1),
        { text: 'Seen.' },
        { look: { at: 2 } },
        { text: 'Again.' },
      );
      const { test } = await startOn(server, modelNamed(model));
      expect(await test.run('look')).toMatchObject({ status: 'completed', text: 'Seen.' });
      expect(await test.run('look again')).toMatchObject({ status: 'completed', text: 'Again.' });
      expect(server.refusals).toEqual([]);
      const sent = answersIn(server.answered.at(-1) ?? []).map((message) => message.reasoning_content);
      expect(sent).toEqual(['Look at 1.', '', '']);
      expect(areAppended(server.answered)).toBe(true);
    },
  );

  it.each(['kimi-k2.5', 'kimi-k3', 'moonshotai/Kimi-K2-Thinking'])(
    'is in every answer with a call for %s',
    async (model) => {
      const server = await serve(KIMI, look(1), { look: { at: 2 } }, look(3));
      const { test } = await startOn(server, modelNamed(model));
      expect(await test.run('look')).toMatchObject({ status: 'completed', stepCount: 4 });
      expect(server.refusals).toEqual([]);
      expect(areAppended(server.answered)).toBe(true);
    },
  );

  it('is kept when a message is queued while the model works', async () => {
    const server = await serve(DEEPSEEK, look(1), look(2));
    const { test } = await startOn(server, {
      ...modelNamed('deepseek-v4-pro'),
      saw: () => {
        void test.runtime.send(test.sessionId, [{ type: 'text', text: 'And be quick.' }]);
        return 'seen';
      },
    });
    expect(await test.run('look')).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(server.answered.at(-1))).toContain('And be quick.');
    expect(server.refusals).toEqual([]);
  });

  it.each<[string, Said]>([
    ['an empty answer', { thought: 'Hm.' }],
    ['an answer cut by its length', { thought: 'Hm.', text: 'The answer', finish: 'length' }],
    ['an answer that only announces a call', { thought: 'Hm.', text: 'I look.', finish: 'tool_calls' }],
  ])('is kept when the runtime asks the model to continue after %s', async (_name, said) => {
    const server = await serve(DEEPSEEK, look(1), said);
    const { test } = await startOn(server, modelNamed('deepseek-v4-pro'));
    expect(await test.run('look')).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(server.refusals).toEqual([]);
    const [first] = answersIn(server.answered.at(-1) ?? []);
    expect(first?.reasoning_content).toBe('Look at 1.');
  });

  it('has a field beside the summary and in the request that asks for one', async () => {
    const server = await serve(
      DEEPSEEK,
      ...[1, 2, 3, 4].map(look),
      { text: 'Seen all.' },
      { text: 'What was done: we looked at four places.' },
    );
    const { test, driver } = await startOn(server, {
      ...modelNamed('deepseek-v4-pro'),
      saw: () => 'a long sight, '.repeat(500),
      runtime: { summariserFor: async () => driver },
    });
    expect(await test.run('look')).toMatchObject({ text: 'Seen all.' });
    expect(await test.runtime.compact(test.sessionId)).toMatchObject({ status: 'compacted' });
    expect(await test.run('and now?')).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(server.refusals).toEqual([]);
    const sent = server.answered.at(-1) ?? [];
    const beside = sent.find(({ content }) => content === '[Older messages are hidden.]');
    expect(beside).toMatchObject({ role: 'assistant', reasoning_content: '' });
    const summary = sent.find(({ content }) => String(content).includes('Compaction Round 1'));
    expect(summary).toMatchObject({ role: 'user' });
    expect(String(summary?.content)).toContain('we looked at four places');
  });

  it('goes to another model of the same family, but not to one of another family', async () => {
    const server = await serve(DEEPSEEK, look(1), { thought: 'Seen it.', text: 'Seen.' });
    const store = createMemoryStore();
    const { test } = await startOn(server, { ...modelNamed('deepseek-v4-flash'), runtime: { store } });
    await test.run('look');
    const reasonOf = async (model: string) => {
      const next = await startOn(server, { ...modelNamed(model), runtime: { store } });
      expect(
        await next.test.runtime.run(test.sessionId, { content: [{ type: 'text', text: 'and?' }] }),
      ).toMatchObject({ status: 'completed' });
      return answersIn(server.answered.at(-1) ?? []).map((message) => message.reasoning_content);
    };
    expect(await reasonOf('deepseek-v4-pro')).toEqual(['Look at 1.', 'Seen it.']);
    const [asKimi, ...others] = await reasonOf('kimi-k3');
    expect([asKimi, others]).toEqual(['', ['', '']]);
  });

  it('is measured as a part of the request if it is sent back, and only then', async () => {
    const thought = 'a long thought, '.repeat(400);
    const tokensWith = async (settings: CallSettings) => {
      const server = await serve(() => undefined, { thought, look: { at: 1 } });
      const { test } = await startOn(server, { ...modelNamed('served-model'), settings });
      await test.run('look');
      return test.of('context:usage').at(-1)?.tokens ?? 0;
    };
    const without = await tokensWith({});
    expect(await tokensWith({ reasoning: { return: 'all' } })).toBeGreaterThan(without + 1_000);
  });
});

describe('the setting reasoning.return', () => {
  const sentWith = async (settings: CallSettings, model = 'served-model') => {
    const server = await serve(
      () => undefined,
      look(1),
      { thought: 'Nudge me.', text: 'Well', finish: 'length' },
      { text: 'Seen.' },
      look(2),
    );
    const { test } = await startOn(server, { ...modelNamed(model), settings });
    await test.run('look');
    await test.run('again');
    return server.answered.map((messages) => answersIn(messages).map((message) => message.reasoning_content));
  };

  it.each<[string, object[]]>([
    [
      'none',
      [
        [],
        [undefined],
        [undefined, undefined],
        [undefined, undefined, undefined],
        [undefined, undefined, undefined, undefined],
      ],
    ],
    [
      'open-turn',
      [
        [],
        ['Look at 1.'],
        ['Look at 1.', 'Nudge me.'],
        [undefined, undefined, undefined],
        [undefined, undefined, undefined, 'Look at 2.'],
      ],
    ],
    [
      'all',
      [
        [],
        ['Look at 1.'],
        ['Look at 1.', 'Nudge me.'],
        ['Look at 1.', 'Nudge me.', undefined],
        ['Look at 1.', 'Nudge me.', undefined, 'Look at 2.'],
      ],
    ],
    [
      'all-or-empty',
      [
        [],
        ['Look at 1.'],
        ['Look at 1.', 'Nudge me.'],
        ['Look at 1.', 'Nudge me.', ''],
        ['Look at 1.', 'Nudge me.', '', 'Look at 2.'],
      ],
    ],
  ])('%s is followed', async (value, expected) => {
    const settings = { reasoning: { return: value } } as CallSettings;
    expect(await sentWith(settings)).toEqual(expected);
    // It takes precedence over what is known of the model.
    expect(await sentWith(settings, 'deepseek-v4-pro')).toEqual(expected);
  });

  it('takes precedence over refusals, and their error names it', async () => {
    const server = await serve(DEEPSEEK, look(1));
    const { test } = await startOn(server, {
      ...modelNamed('deepseek-v4-pro'),
      settings: { reasoning: { return: 'none' } },
    });
    const { error } = await test.run('look');
    expect(error).toMatchObject({ code: 'provider_bad_request' });
    expect(error?.message).toContain('Set providers.local.reasoning.return: all-or-empty.');
  });
});

describe('a refusal about reasoning', () => {
  it.each([
    ['DeepSeek', DEEPSEEK, 'all-or-empty'],
    ['Moonshot', KIMI, 'all-or-empty'],
  ] as const)("teaches %s's rule within the step, for later runs too", async (_name, rule, learned) => {
    const memory = createMemoryServerMemory();
    const server = await serve(rule, look(1), look(2), { text: 'Seen.' });
    const at = { baseUrl: server.url, model: 'served-model' };
    const onLearned = (settings: CallSettings) => memory.learnSettings(at, settings);
    const { test } = await startOn(server, { ...modelNamed('served-model'), onLearned });
    expect(await test.run('look')).toMatchObject({ status: 'completed', text: 'Seen.' });
    expect(server.refusals).toHaveLength(1);
    expect(test.of('llm:error')).toEqual([]);
    const learnedSettings = await memory.learnedSettings(at);
    expect(learnedSettings).toEqual({ reasoning: { return: learned } });
    const later = await startOn(server, {
      ...modelNamed('served-model'),
      learnedSettings,
      runtime: { store: test.store },
    });
    expect(
      await later.test.runtime.run(test.sessionId, { content: [{ type: 'text', text: 'and?' }] }),
    ).toMatchObject({ status: 'completed' });
    expect(server.refusals).toHaveLength(1);
  });

  it('teaches to leave the field out', async () => {
    const server = await serve(GROQ, look(1), look(2), { text: 'Seen.' });
    const { test } = await startOn(server, modelNamed('deepseek-v4-flash'));
    expect(await test.run('look')).toMatchObject({ status: 'completed', text: 'Seen.' });
    expect(server.refusals).toHaveLength(1);
  });

  it('ends the run if the server refuses both forms', async () => {
    const server = await serve((messages) => GROQ(messages) ?? DEEPSEEK(messages), look(1));
    const { test } = await startOn(server, modelNamed('deepseek-v4-flash'));
    expect(await test.run('look')).toMatchObject({
      status: 'failed',
      error: { code: 'provider_bad_request' },
    });
    expect(server.refusals).toHaveLength(3);
  });
});

describe('reasoning_details', () => {
  const details = [
    { type: 'reasoning.text', text: 'I should ', index: 0, format: 'anthropic-claude-v1' },
    { type: 'reasoning.text', text: 'look.', index: 0, format: 'anthropic-claude-v1' },
    { type: 'reasoning.text', signature: 'c2ln', index: 0, format: 'anthropic-claude-v1' },
    { type: 'reasoning.encrypted', data: 'eHl6', id: 'r1', index: 1, format: 'openai-responses-v1' },
    { type: 'reasoning.encrypted', data: 'enl4', id: 'r2', index: 1, format: 'openai-responses-v1' },
  ];

  it('go back as they were received, with their fragments joined, and only to the model that wrote them', async () => {
    const server = await serve(() => undefined, { details, look: { at: 1 } });
    const settings: CallSettings = { reasoning: { return: 'all' } };
    const store = createMemoryStore();
    const { test } = await startOn(server, { ...modelNamed('some-model'), settings, runtime: { store } });
    await test.run('look');
    expect(answersIn(server.answered.at(-1) ?? [])[0]).toMatchObject({
      reasoning_details: [
        {
          type: 'reasoning.text',
          text: 'I should look.',
          signature: 'c2ln',
          index: 0,
          format: 'anthropic-claude-v1',
        },
        details[3],
        details[4],
      ],
    });
    const [, first] = await test.messages();
    expect(first?.parts.find((part) => part.type === 'reasoning')?.text).toBe('I should look.');
    const other = await startOn(server, { ...modelNamed('other-model'), settings, runtime: { store } });
    await other.test.runtime.run(test.sessionId, { content: [{ type: 'text', text: 'and?' }] });
    expect(JSON.stringify(server.answered.at(-1))).not.toContain('c2ln');
  });

  it('are joined if each fragment repeats the text so far, as those of MiniMax do', async () => {
    const fragments = ['I should ', 'I should look ', 'I should look twice.'].map((text) => ({
      type: 'reasoning.text',
      text,
      index: 0,
      format: 'MiniMax-response-v1',
    }));
    const server = await serve(() => undefined, { details: fragments, look: { at: 1 } });
    const { test } = await startOn(server, modelNamed('MiniMax-M2.5'));
    await test.run('look');
    const [first] = answersIn(server.answered.at(-1) ?? []);
    expect(first).toMatchObject({ reasoning_details: [{ text: 'I should look twice.' }] });
  });
});
