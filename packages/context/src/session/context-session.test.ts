import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { SUMMARY_INSTRUCTION } from '../narrative.ts';
import { INTERRUPTED_RESULT, PRUNED_PREFIX } from '../view.ts';
import { aiSdkFormat } from './ai-sdk-format.ts';
import { createContextSession } from './context-session.ts';
import { openAiChatFormat } from './openai-chat-format.ts';
import type { ContextSession, ContextSessionOptions } from './session-types.ts';

type ChatMessage = OpenAI.ChatCompletionMessageParam;

const TASK: ChatMessage = { role: 'user', content: 'Find out why the nightly build fails, and fix it.' };
const SYSTEM: ChatMessage = { role: 'system', content: 'You are a careful engineer.' };

function chatSession(
  windowTokens: number,
  more: Partial<ContextSessionOptions<ChatMessage>> = {},
): ContextSession<ChatMessage> {
  return createContextSession({
    format: openAiChatFormat<ChatMessage>(),
    windowTokens,
    maxOutputTokens: 1_000,
    ...more,
  });
}

function callOf(id: string, path: string, text = ''): ChatMessage {
  const call = { name: 'read', arguments: JSON.stringify({ path }) };
  return { role: 'assistant', content: text, tool_calls: [{ id, type: 'function', function: call }] };
}

function resultOf(id: string, content: string): ChatMessage {
  return { role: 'tool', tool_call_id: id, content };
}

function chatStep(number: number, lines = 60): ChatMessage[] {
  const text = Array.from({ length: lines }, (_, line) => `export const value${number}_${line} = ${line};`);
  return [
    callOf(`call_${number}`, `src/part${number}.ts`),
    resultOf(`call_${number}`, [...text, ''].join('\n')),
  ];
}

/** The rule of every server: a result follows each call, and no result is without a call. */
function expectPairs(messages: readonly ChatMessage[]): void {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      expect(open.delete(message.tool_call_id)).toBe(true);
      continue;
    }
    expect([...open]).toEqual([]);
    if (message.role === 'assistant') open = new Set((message.tool_calls ?? []).map(({ id }) => id));
  }
  expect([...open]).toEqual([]);
}

describe('a session of OpenAI chat messages', () => {
  it('returns the very same messages while they fit', async () => {
    const session = chatSession(32_000);
    const messages = [SYSTEM, TASK, ...chatStep(1), ...chatStep(2)];
    session.append(messages);
    const fitted = await session.fit();
    expect(fitted.compacted).toBeUndefined();
    expect(fitted.messages).toHaveLength(messages.length);
    for (const [index, message] of fitted.messages.entries()) expect(message).toBe(messages[index]);
    expect(fitted.maxOutputTokens).toBe(1_000);
  });

  it('replaces old messages by a summary, and keeps system text, task and last step', async () => {
    const session = chatSession(8_000);
    const last = chatStep(20);
    session.append([SYSTEM, TASK]);
    for (let number = 1; number < 20; number += 1) session.append(chatStep(number));
    session.append(last);
    const { messages, compacted, predictedTokens } = await session.fit();
    expect(compacted).toMatchObject({ round: 1, warnings: [] });
    expect(predictedTokens).toBeLessThan(6_000);
    expect(messages[0]).toBe(SYSTEM);
    expect(messages[1]).toBe(TASK);
    expect(messages[2]?.role).toBe('assistant');
    expect(messages[3]).toEqual({ role: 'user', content: compacted?.summary });
    expect(compacted?.summary).toContain('part3.ts');
    expect(messages.slice(-2)).toEqual(last);
    expect(messages.at(-1)).toBe(last[1]);
    expectPairs(messages);
  });

  it('survives several rounds without an orphan, and continues from its own JSON', async () => {
    let session = chatSession(8_000);
    let rounds = 0;
    session.append([TASK]);
    for (let number = 1; number <= 60; number += 1) {
      session.append(chatStep(number));
      const restored = JSON.parse(JSON.stringify(session));
      const { messages, compacted, predictedTokens } = await session.fit();
      const again = chatSession(8_000, { state: restored });
      expect((await again.fit()).messages).toEqual(messages);
      if (compacted !== undefined) rounds += 1;
      expectPairs(messages);
      expect(messages[0]).toEqual(TASK);
      session.learn(Math.ceil(predictedTokens * 1.1));
      again.learn(Math.ceil(predictedTokens * 1.1));
      session = again;
    }
    expect(rounds).toBeGreaterThan(2);
    expect(session.messageCount).toBe(121);
  });

  it('copies only the tool message of a pruned output, and keeps the object of the call before it', async () => {
    const session = chatSession(30_000);
    const prose = 'The build server went to sleep again after the update.\n'.repeat(1_300);
    const first = [callOf('call_0', 'notes.md'), resultOf('call_0', prose)];
    const steps = [first, ...[1, 2, 3].map((number) => chatStep(number, 10))];
    session.append([TASK, ...steps.flat()]);
    const { messages, compacted } = await session.fit();
    expect(compacted).toBeUndefined();
    const pruned = messages.filter(({ content }) => String(content).startsWith(PRUNED_PREFIX));
    expect(pruned).toHaveLength(1);
    expect(messages[1]).toBe(steps[0]?.[0]);
    expect(messages[2]).toMatchObject({ role: 'tool', tool_call_id: 'call_0' });
    expectPairs(messages);
    expect(session.recall({ handle: 'm2.1', from: 1_300, lines: 1 })).toContain('went to sleep');
  });

  it('cuts a result that is larger than the window, and reads it in pages', async () => {
    const session = chatSession(8_000);
    const huge = Array.from({ length: 9_000 }, (_, line) => `line ${line} of the log`).join('\n');
    session.append([TASK, callOf('c', 'build.log'), resultOf('c', huge)]);
    const { messages, predictedTokens } = await session.fit();
    expect(predictedTokens).toBeLessThan(6_000);
    expect(String(messages.at(-1)?.content)).toContain('read it with recall, handle m2.1');
    expect(session.recall({ handle: 'm2.1', from: 8_000, lines: 3 })).toContain('line 7999');
    expectPairs(messages);
  });

  it('finds hidden text by its words, and explains a wrong query', () => {
    const session = chatSession(8_000);
    session.append([TASK, ...chatStep(1), ...chatStep(2)]);
    const found = session.recall({ query: 'export VALUE2_7' });
    expect(found).toMatch(/^m3\.1: /);
    expect(session.recall({ query: 'nowhere' })).toMatch(/^Nothing found/);
    expect(session.recall({ handle: 'm99.1' })).toMatch(/^There is no text with the handle/);
    expect(session.recall({})).toMatch(/^Pass either/);
  });

  it('answers a call without a result, and accepts the result later', async () => {
    const session = chatSession(32_000);
    session.append([TASK, callOf('c', 'a.ts')]);
    const { messages } = await session.fit();
    expect(messages.at(-1)).toEqual({ role: 'tool', tool_call_id: 'c', content: INTERRUPTED_RESULT });
    session.append([resultOf('c', 'export {};')]);
    const after = await session.fit();
    expect(after.messages.slice(-2)).toEqual([callOf('c', 'a.ts'), resultOf('c', 'export {};')]);
  });

  it('keeps a system message in the middle in its place', async () => {
    const session = chatSession(8_000);
    const reminder: ChatMessage = { role: 'system', content: 'The user is now in plan mode.' };
    session.append([TASK, ...chatStep(1), reminder]);
    for (let number = 2; number < 25; number += 1) session.append(chatStep(number));
    const { messages, compacted } = await session.fit();
    expect(compacted).toBeDefined();
    expect(messages).toContain(reminder);
  });

  it('refuses a result before any call, and a state of another version', () => {
    expect(() => chatSession(8_000).append([resultOf('c', 'x')])).toThrow(/before any assistant message/);
    const state = { ...chatSession(8_000).toJSON(), version: 2 as 1 };
    expect(() => chatSession(8_000, { state })).toThrow(/version/);
  });

  it('throws when nothing can be made small enough', async () => {
    const session = chatSession(2_000);
    session.append([TASK]);
    const system = 'Rule: be careful.\n'.repeat(800);
    await expect(session.fit({ system })).rejects.toMatchObject({ code: 'context_exhausted' });
  });

  it('makes room after a refusal, with the sizes that the server named', async () => {
    const session = chatSession(32_000);
    session.append([TASK]);
    for (let number = 1; number <= 8; number += 1) session.append(chatStep(number));
    expect((await session.fit()).compacted).toBeUndefined();
    session.learnRefusal({ windowTokens: 8_000 });
    const { compacted, predictedTokens } = await session.fit();
    expect(compacted?.round).toBe(1);
    expect(predictedTokens).toBeLessThan(6_000);
    const restored = chatSession(32_000, { state: JSON.parse(JSON.stringify(session)) });
    restored.append(chatStep(9, 200));
    expect((await restored.fit()).predictedTokens).toBeLessThan(6_000);
  });

  it('makes room after a refusal without sizes', async () => {
    const session = chatSession(32_000);
    session.append([TASK]);
    for (let number = 1; number <= 8; number += 1) session.append(chatStep(number));
    const before = await session.fit();
    session.learnRefusal();
    const stored = JSON.stringify(session);
    const after = await session.fit();
    expect(after.compacted?.round).toBe(1);
    expect(after.predictedTokens).toBeLessThan(before.predictedTokens);
    expect((await session.fit()).compacted).toBeUndefined();
    // A program that stores the session after each answer does not send the refused request again.
    const restored = chatSession(32_000, { state: JSON.parse(stored) });
    expect((await restored.fit()).predictedTokens).toBeLessThan(before.predictedTokens);
    expect((await restored.fit()).compacted).toBeUndefined();
    expect(restored.marksOnly()).not.toHaveProperty('wasRefused');
  });

  it.each([1_000, 4_000, 16_000])(
    'finds a window of 8k that was guessed as 128k from few refusals without sizes, with answers of %i tokens',
    async (maxOutputTokens) => {
      const session = chatSession(128_000, { maxOutputTokens });
      session.append([TASK]);
      for (let number = 1; number <= 60; number += 1) session.append(chatStep(number));
      const refused = async () => {
        const { messages, maxOutputTokens: answerTokens } = await session.fit();
        const tokens = Math.ceil(JSON.stringify(messages).length / 2.2);
        if (tokens + answerTokens <= 8_000) session.learn(tokens);
        else session.learnRefusal();
        return tokens + answerTokens > 8_000;
      };
      let refusals = 0;
      while (await refused()) refusals += 1;
      expect(refusals).toBeLessThanOrEqual(4);
      let later = 0;
      for (let number = 61; number <= 90; number += 1) {
        session.append(chatStep(number));
        while (await refused()) later += 1;
      }
      expect(later).toBeLessThanOrEqual(2);
      expect(session.marksOnly().learnedWindowTokens).toBeLessThan(16_000);
    },
  );

  it('takes no window from a refusal before any request', async () => {
    const session = chatSession(32_000);
    session.append([TASK, ...chatStep(1)]);
    session.learnRefusal();
    session.learnRefusal();
    expect(session.marksOnly()).not.toHaveProperty('learnedWindowTokens');
  });
});

describe('its summariser', () => {
  async function compactWith(summarise: ContextSessionOptions<ChatMessage>['summarise']) {
    const session = chatSession(8_000, { summarise });
    session.append([SYSTEM, TASK]);
    for (let number = 1; number < 20; number += 1) session.append(chatStep(number));
    return session.fit();
  }

  it('may return nothing, like a client whose model wrote nothing', async () => {
    for (const nothing of [null, undefined, {}, { text: 'no status' }]) {
      const summarise = (async () => nothing) as unknown as ContextSessionOptions<ChatMessage>['summarise'];
      await expect(compactWith(summarise)).resolves.toBeDefined();
    }
  });

  it("receives the session's own messages, and its text is in the summary", async () => {
    const asked: ChatMessage[][] = [];
    const { compacted } = await compactWith(async ({ messages }) => {
      asked.push(messages);
      return 'The parts were read one by one.';
    });
    expect(compacted?.summary).toContain('The parts were read one by one.');
    for (const messages of asked) {
      expectPairs(messages);
      expect(messages[0]).toBe(SYSTEM);
      expect(String(messages.at(-1)?.content)).toContain(SUMMARY_INSTRUCTION);
    }
  });

  it('only loses the narrative when it fails', async () => {
    const { compacted } = await compactWith(async () => {
      throw new Error('connect ECONNREFUSED');
    });
    expect(compacted?.summary).toContain('part3.ts');
    expect(compacted?.warnings.join()).toContain('ECONNREFUSED');
  });

  it('ends the compaction when it is cancelled', async () => {
    const cancelled = compactWith(async () => {
      throw new DOMException('stopped', 'AbortError');
    });
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  });
});

const sdkFormat = aiSdkFormat<ModelMessage>();

function sdkStep(number: number, lines = 60): ModelMessage[] {
  const text = Array.from({ length: lines }, (_, line) => `value${number}_${line} = ${line};`).join('\n');
  const call = { toolCallId: `call_${number}`, toolName: 'read' };
  return [
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Next file.', providerOptions: { x: { signature: `s${number}` } } },
        { type: 'tool-call', ...call, input: { path: `src/part${number}.ts` } },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: text } }] },
  ];
}

describe('a session of AI SDK messages', () => {
  it('keeps unchanged messages with their reasoning and provider options', async () => {
    const session = createContextSession({ format: sdkFormat, windowTokens: 8_000, maxOutputTokens: 1_000 });
    const task: ModelMessage = { role: 'user', content: 'Read all parts.' };
    const last = sdkStep(20);
    session.append([task]);
    for (let number = 1; number < 20; number += 1) session.append(sdkStep(number));
    session.append(last);
    const { messages, compacted } = await session.fit({ system: 'Be careful.', tools: [{ name: 'read' }] });
    expect(compacted?.round).toBe(1);
    expect(messages[0]).toBe(task);
    expect(messages.at(-2)).toBe(last[0]);
    expect(messages.at(-1)).toBe(last[1]);
    expect(compacted?.summary).toContain('part3.ts');
  });

  it('reads all forms of content of the SDK, and changes none of them', async () => {
    const session = createContextSession({ format: sdkFormat, windowTokens: 32_000, maxOutputTokens: 1_000 });
    const search = { toolCallId: 's', toolName: 'web_search' };
    const messages: ModelMessage[] = [
      { role: 'system', content: 'Be careful.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', image: new Uint8Array([1, 2, 3]) },
          { type: 'file', data: 'aGk=', mediaType: 'application/pdf' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', ...search, input: { q: 'x' }, providerExecuted: true },
          { type: 'tool-result', ...search, output: { type: 'json', value: { hits: 3 } } },
          { type: 'text', text: '' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} },
          { type: 'tool-call', toolCallId: 'b', toolName: 'list', input: undefined },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-approval-response', approvalId: 'x', approved: true },
          { type: 'tool-result', toolCallId: 'b', toolName: 'list', output: { type: 'json', value: [1] } },
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'read',
            output: { type: 'error-text', value: 'no such file' },
          },
        ],
      },
      { role: 'assistant', content: 'A picture.' },
    ];
    session.append(messages);
    const fitted = await session.fit();
    expect(fitted.messages).toHaveLength(messages.length);
    for (const [index, message] of fitted.messages.entries()) expect(message).toBe(messages[index]);
    expect(fitted.predictedTokens).toBeGreaterThan(2_400);
  });

  it('cuts one of several results in a message and keeps the others', async () => {
    const session = createContextSession({ format: sdkFormat, windowTokens: 4_000, maxOutputTokens: 1_000 });
    const results: ModelMessage = {
      role: 'tool',
      content: ['a', 'b'].map((toolCallId) => ({
        type: 'tool-result',
        toolCallId,
        toolName: 'read',
        output: { type: 'error-text', value: toolCallId === 'a' ? 'short' : 'long line\n'.repeat(5_000) },
      })),
    };
    session.append([
      { role: 'user', content: 'Read both.' },
      {
        role: 'assistant',
        content: ['a', 'b'].map((toolCallId) => ({
          type: 'tool-call',
          toolCallId,
          toolName: 'read',
          input: {},
        })),
      },
      results,
    ]);
    const { messages } = await session.fit();
    const [first, second] = messages.at(-1)?.content ?? [];
    expect(first).toBe(results.content[0]);
    expect(second).toMatchObject({ toolCallId: 'b', output: { type: 'error-text' } });
    expect(JSON.stringify(second)).toContain('handle m2.1');
  });
});

describe('any session of chat messages', () => {
  const contents = fc.string({ unit: 'grapheme', maxLength: 1_500 });
  const step = fc.record({
    text: contents,
    results: fc.array(contents, { maxLength: 3 }),
    followUp: fc.option(contents, { nil: undefined }),
  });

  it('is shown in order, in pairs and within the window, and is complete in its state', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const session = chatSession(6_000);
      session.append([SYSTEM, TASK]);
      const appended: ChatMessage[] = [SYSTEM, TASK];
      for (const [number, { text, results, followUp }] of steps.entries()) {
        const calls = results.map((_, index) => ({
          id: `${number}_${index}`,
          type: 'function' as const,
          function: { name: 'read', arguments: '{"path":"a"}' },
        }));
        const messages: ChatMessage[] = [
          { role: 'assistant', content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) },
          ...results.map((content, index) => resultOf(`${number}_${index}`, content)),
          ...(followUp === undefined ? [] : [{ role: 'user' as const, content: followUp }]),
        ];
        session.append(messages);
        appended.push(...messages);
        const fitted = await session.fit();
        expect(fitted.predictedTokens).toBeLessThan(6_000);
        expectPairs(fitted.messages);
        expect(fitted.messages[0]).toBe(SYSTEM);
        const places = fitted.messages.map((message) => appended.indexOf(message)).filter((at) => at >= 0);
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      }
      expect(session.toJSON().messages).toEqual(appended);
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

describe('recall', () => {
  it('never throws for any input of a model', () => {
    const session = chatSession(8_000);
    session.append([TASK, ...chatStep(1)]);
    for (const input of [null, undefined, 7, true, [], {}, { query: 5 }, { handle: null }, { query: '  ' }])
      expect(session.recall(input)).toMatch(/^Pass either/);
    expect(session.recall('{"query":"nightly build"}')).toMatch(/^m1\.0: /);
    expect(session.recall('nightly build')).toMatch(/^m1\.0: /);
    expect(session.recall({ handle: 'm2.1', from: '59', lines: '1' })).toContain('value1_57');
    expect(session.recall({ handle: 'm2.1', from: Number.NaN, lines: -3 })).toContain('read {');
    expect(session.recall({ handle: 'm2.1', from: {}, lines: 1 })).toContain('read {');
  });
});

describe('what it learns', () => {
  it('applies once to each request', async () => {
    const session = chatSession(32_000);
    session.append([TASK, ...chatStep(1)]);
    const { predictedTokens } = await session.fit();
    for (let time = 0; time < 5; time += 1) session.learn(predictedTokens * 1.2);
    expect((await session.fit()).predictedTokens).toBeCloseTo(predictedTokens * 1.2, -1);
  });

  it('does not make texts cheap that were never measured', async () => {
    const session = chatSession(32_000);
    session.append([{ role: 'user', content: '修改配置文件并运行测试，'.repeat(400) }]);
    const { predictedTokens } = await session.fit();
    session.learn(predictedTokens * 0.5);
    expect((await session.fit()).predictedTokens).toBeCloseTo(predictedTokens * 0.5, -1);
    session.append([{ role: 'assistant', content: 'word '.repeat(4_000) }, TASK]);
    expect((await session.fit()).predictedTokens).toBeGreaterThan(predictedTokens * 0.5 + 4_000);
  });
});
