import type { ModelDriver, StepEvent, StepRequest } from '@longhaul/core';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createMemoryStore } from '@longhaul/storage/memory';
import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { createTaskTool } from '@longhaul/tools';
import { expect, it } from 'vitest';

const SUBTASKS = {
  agents: [{ name: 'general', description: 'any task', model: 'played/child' }],
  atOnce: 4,
  maxDepth: 2,
};
const TASK = createTaskTool(SUBTASKS);
const look = () => testTool('look', ({ index }) => text(`line ${index} of the file. `.repeat(400)));

type Steps = Parameters<typeof playedDriver>[0];

/** A parent and its children, each with a window of its own. */
async function family(
  parent: { steps: Steps; windowTokens: number },
  child: {
    step: (request: StepRequest) => readonly StepEvent[] | AsyncIterable<StepEvent>;
    windowTokens: number;
  },
) {
  const room = (windowTokens: number) => ({ windowTokens, maxOutputTokens: 1_000 });
  const parents = playedDriver(parent.steps, room(parent.windowTokens));
  const children = playedDriver([child.step], { model: 'child', ...room(child.windowTokens) });
  const driverFor = async (model: string): Promise<ModelDriver> =>
    model === 'played/test' ? parents : children;
  const test = await testRun(parents, [TASK, look()], {
    store: createMemoryStore(),
    blobs: createMemoryBlobStore(),
    driverFor,
    subtasks: SUBTASKS,
  });
  return { ...test, parents, children };
}

const sizeOf = ({ system, messages, tools }: StepRequest) => JSON.stringify([system, messages, tools]).length;
const compactionsOf = (events: readonly { type: string; sessionId: string }[], sessionId: string) =>
  events.filter((event) => event.type === 'context:compressed' && event.sessionId === sessionId).length;

it('lets a child with a window of 8k compact under a parent with 16k, which sees its answer only', async () => {
  let round = 0;
  const test = await family(
    {
      steps: [calls({ name: 'task', input: { prompt: 'Read everything.' } }), answer('Done.')],
      windowTokens: 16_000,
    },
    {
      step: () => {
        round += 1;
        return round <= 12
          ? calls({ name: 'look', input: { index: round } })
          : answer('All 12 files are read.');
      },
      windowTokens: 8_000,
    },
  );
  expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.', compactions: 0 });
  const [child] = await test.store.listSessions({ parentId: test.sessionId });
  expect(compactionsOf(test.events, child?.id ?? '')).toBeGreaterThan(1);
  const last = test.parents.requests.at(-1);
  expect(JSON.stringify(last?.messages)).toContain('All 12 files are read.');
  expect(JSON.stringify(last?.messages)).not.toContain('line 3 of the file.');
  expect(test.children.requests.every((request) => sizeOf(request) < 8_000 * 4)).toBe(true);
});

it('keeps answers of 100,000 characters within a window of 8k, and recalls the rest', async () => {
  const long = `START ${'word '.repeat(20_000)} END`;
  const test = await family(
    {
      steps: [
        calls(
          { name: 'task', input: { prompt: 'One.' }, callId: 'one' },
          { name: 'task', input: { prompt: 'Two.' }, callId: 'two' },
          { name: 'task', input: { prompt: 'Three.' }, callId: 'three' },
        ),
        answer('Done.'),
      ],
      windowTokens: 8_000,
    },
    { step: () => answer(long), windowTokens: 64_000 },
  );
  expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Done.' });
  const children = await test.store.listSessions({ parentId: test.sessionId });
  expect(children).toHaveLength(3);
  const parts = (await test.messages()).flatMap(({ parts: all }) =>
    all.filter((part) => part.type === 'tool'),
  );
  for (const part of parts) {
    expect(JSON.stringify(part.output)).toContain('START');
    expect(JSON.stringify(part.output).length).toBeLessThan(10_000);
  }
  expect(test.parents.requests.every((request) => sizeOf(request) < 8_000 * 5)).toBe(true);
});

it.each([8_000, 16_000])(
  'takes the results of 20 children in the background at a window of %d',
  async (windowTokens) => {
    const gate = Promise.withResolvers<void>();
    const prompts = Array.from({ length: 20 }, (_, index) => `Part ${index}.`);
    const test = await family(
      {
        steps: [
          calls(
            ...prompts.map((prompt) => ({
              name: 'task',
              input: { prompt, background: true },
              callId: prompt,
            })),
          ),
          () => {
            gate.resolve();
            return answer('I wait.');
          },
          answer('Noted.'),
        ],
        windowTokens,
      },
      {
        async *step() {
          await gate.promise;
          yield* answer(`The result. ${'It has many words. '.repeat(300)}`);
        },
        windowTokens: 16_000,
      },
    );
    expect(await test.run('go')).toMatchObject({ status: 'completed', text: 'Noted.' });
    const results = (await test.messages()).flatMap(({ metadata, parts }) =>
      metadata?.synthetic === 'sent' ? parts.filter((part) => part.type === 'text') : [],
    );
    const all = results.map((part) => part.text).join('\n');
    expect(all.split('The result.')).toHaveLength(21);
  },
);
