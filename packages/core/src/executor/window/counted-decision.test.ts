import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import type { StepRequest } from '../../ports/index.ts';

const STEPS = 40;

/** Runs a session that grows by some 400 tokens a step, with a provider that counts `share` of what is predicted. */
async function runCounted(share: number | undefined) {
  const counted: { predicted: number; request: StepRequest }[] = [];
  let steps = 0;
  const played = playedDriver([
    () => {
      steps += 1;
      return steps > STEPS ? answer('Done.') : calls({ name: 'read', callId: `c${steps}` });
    },
  ]);
  const predicted = (request: StepRequest) =>
    Math.ceil(JSON.stringify([request.messages, request.tools]).length / 4);
  const driver = Object.assign(played, {
    countTokens: async (request: StepRequest) => {
      counted.push({ predicted: predicted(request), request });
      return share === undefined ? undefined : Math.ceil(predicted(request) * share);
    },
  });
  const read = testTool('read', () => text(`line ${steps} of the file\n`.repeat(60)));
  const test = await testRun(driver, [read]);
  expect(await test.run('go')).toMatchObject({ status: 'completed' });
  const firstCompaction = test.of('context:compressed')[0];
  const usages = test.of('context:usage');
  return { counted, firstCompaction, usages, requests: played.requests };
}

it('asks for a count only near the trigger, and never twice for one request', async () => {
  const { counted, usages, requests } = await runCounted(undefined);
  expect(counted.length).toBeGreaterThan(0);
  expect(counted.length).toBeLessThan(requests.length / 2);
  const least = Math.min(...counted.map(({ request }) => request.messages.length));
  expect(least).toBeGreaterThan(3);
  expect(usages[0]?.tokens).toBeLessThan((usages[0]?.usableTokens ?? 0) * 0.5);
  const bodies = counted.map(({ request }) => JSON.stringify(request.messages));
  expect(new Set(bodies).size).toBe(bodies.length);
});

it('compacts earlier if the provider counts more than predicted, and later if it counts less', async () => {
  const estimated = await runCounted(undefined);
  const more = await runCounted(1.6);
  const less = await runCounted(0.5);
  const messages = (run: Awaited<ReturnType<typeof runCounted>>) =>
    run.firstCompaction?.originalMessages ?? Number.POSITIVE_INFINITY;
  expect(messages(more)).toBeLessThan(messages(estimated));
  expect(messages(less)).toBeGreaterThan(messages(estimated));
});

it('counts exactly the request that is sent', async () => {
  const { counted, requests } = await runCounted(0.5);
  const [first] = counted;
  const sent = requests.find(
    ({ messages }) => JSON.stringify(messages) === JSON.stringify(first?.request.messages),
  );
  expect(sent).toMatchObject({ system: first?.request.system, tools: first?.request.tools });
});
