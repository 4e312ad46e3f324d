import { fileURLToPath } from 'node:url';
import { type ApprovalRule, createApprovers } from '@longhaul/approvals';
import { type LonghaulEvent, samplingName, ZERO_USAGE } from '@longhaul/protocol';
import { answer, calls, failure, type PlayedStep } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { callOnce, exampleServer, openRun, resultsOf, type ServedRun } from './run-with-servers.ts';

const TOOL = 'x_trigger-sampling-request';
const ALLOWED: ApprovalRule = { tool: 'x_*', action: 'allow' };
const USAGE = { ...ZERO_USAGE, inputTokens: 40, outputTokens: 10, totalTokens: 50 };

/** The tool asks the model with this prompt. The answer of the model to the server is the second step. */
const CALL = calls({ name: TOOL, input: { prompt: 'What is 6 times 7?', maxTokens: 30 } });
const STEPS: PlayedStep[] = [CALL, answer('It is 42.', USAGE), answer('Done.')];

function open({
  sampling = true,
  steps = STEPS,
  rules = [ALLOWED],
  ask = 'wait',
  costUsd = null,
}: {
  sampling?: boolean;
  steps?: PlayedStep[];
  rules?: ApprovalRule[];
  ask?: 'wait' | 'deny';
  costUsd?: number | null;
} = {}) {
  return openRun({ x: { ...exampleServer('everything'), sampling } }, steps, {
    approverFor: createApprovers({ rules, ask, timeoutMs: null }),
    costOf: ({ totalTokens }) => totalTokens / 1_000,
    limits: { steps: null, tokens: null, costUsd, minutes: null },
  });
}

/** Answers each request for approval of the model's use. Returns what was requested. */
function answerAll({ run }: ServedRun, reply: 'once' | 'always' | 'deny') {
  const requested: Extract<LonghaulEvent, { type: 'approval:requested' }>[] = [];
  run.runtime.subscribe((event) => {
    if (event.type !== 'approval:requested') return;
    requested.push(event);
    const given = { answer: reply, handle: event.handle };
    void run.runtime.approvals.answer(run.sessionId, event.callId, given);
  });
  return requested;
}

it('lets a server use the model once the person has approved what the model gets', async () => {
  await using served = await open();
  const requested = answerAll(served, 'once');
  await served.run.run('My secret plan.');
  expect(requested.map(({ toolName, args }) => ({ toolName, args }))).toEqual([
    {
      toolName: samplingName('x'),
      args: {
        server: 'x',
        system: 'You are a helpful test server.',
        question: expect.stringContaining('What is 6 times 7?'),
        maxTokens: 30,
      },
    },
  ]);
  expect(resultsOf(served)[0]).toContain('It is 42.');
  const [, sampled] = served.driver.requests;
  expect(sampled).toMatchObject({ system: 'You are a helpful test server.', tools: [], maxOutputTokens: 30 });
  expect(JSON.stringify(sampled?.messages)).not.toContain('secret plan');
});

it('counts what a server has used for the run, and tells the person', async () => {
  await using served = await open({ ask: 'deny' });
  await served.run.run('Go');
  const [finished] = served.run.of('run:finished');
  expect(finished?.usage.totalTokens).toBeGreaterThanOrEqual(USAGE.totalTokens);
  expect(finished?.cost).toBeGreaterThanOrEqual(0.05);
  const warnings = served.run.of('context:warning').map(({ message }) => message);
  expect(warnings).toContain('The MCP server x has used the model: 50 tokens ($0.0500).');
});

it('the answer always holds for the server in this session, and a rule needs no answer', async () => {
  const twice = [CALL, answer('42'), CALL, answer('42'), answer('Done.')];
  await using served = await open({ steps: twice });
  const requested = answerAll(served, 'always');
  await served.run.run('Go');
  expect(requested).toHaveLength(1);
  expect(resultsOf(served)).toHaveLength(2);

  await using byRule = await open({ rules: [ALLOWED, { tool: samplingName('x'), action: 'allow' }] });
  const none = answerAll(byRule, 'deny');
  await byRule.run.run('Go');
  expect(none).toEqual([]);
  expect(resultsOf(byRule)[0]).toContain('It is 42.');
});

it.each<[string, Parameters<typeof open>[0], 'once' | 'deny', string]>([
  ['a person who refuses', {}, 'deny', 'it was not approved'],
  [
    'a rule that denies it',
    { rules: [ALLOWED, { tool: 'mcp_sampling:*', action: 'deny' }] },
    'once',
    'the approval rule for "mcp_sampling:*" denies it',
  ],
  ['a reached limit of cost', { costUsd: 0.000_001 }, 'once', 'the run has reached its limit of'],
])(
  '%s is the reason that the server gets, and the model is not called',
  async (_name, options, reply, reason) => {
    await using served = await open({ ...options, steps: [CALL, answer('Done.')] });
    answerAll(served, reply);
    await served.run.run('Go');
    expect(resultsOf(served)[0]).toContain(`Longhaul did not call the model: ${reason}`);
  },
);

it('a failure of the model is an error for the server, and the run continues', async () => {
  const failing = [failure('provider_overloaded', 'Too busy.')];
  await using served = await open({ ask: 'deny', steps: [CALL, failing, answer('Done.')] });
  await served.run.run('Go');
  expect(resultsOf(served)[0]).toContain('the model failed: Too busy.');
  expect(served.run.of('run:finished')[0]?.status).toBe('completed');
});

it('a server without the setting is not offered the model', async () => {
  await using served = await open({ sampling: false, steps: [answer('Done.')] });
  await served.run.run('Go');
  const tools = served.driver.requests[0]?.tools.map(({ name }) => name);
  expect(tools).toContain('x_echo');
  expect(tools).not.toContain(TOOL);
});

it('a request that nobody has answered is refused when the run ends', async () => {
  await using served = await open();
  const stop = new AbortController();
  served.run.runtime.subscribe((event) => {
    if (event.type === 'approval:requested') stop.abort();
  });
  await served.run.run('Go', { signal: stop.signal });
  expect(await served.run.runtime.approvals.list(served.run.sessionId)).toMatchObject([
    { answer: 'deny', reason: 'the run ended before an answer' },
  ]);
});

it.each([
  ['asks without the setting', 'model', false, 'The setting mcp.servers.x.sampling would allow it.'],
  ['sends an image', 'model_image', true, 'Longhaul passes on only text to the model'],
  ['asks without end', 'model_nag', true, 'A call can ask 10 questions.'],
])('a server that %s gets the reason', async (_name, tool, sampling, reason) => {
  const args = [fileURLToPath(new URL('asking-server.ts', import.meta.url))];
  const x = { command: process.execPath, args, sampling };
  await using served = await openRun({ x }, callOnce(`x_${tool}`));
  await served.run.run('Go');
  expect(resultsOf(served)[0]).toContain(reason);
});
