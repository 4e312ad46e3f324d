import { expect, it } from 'vitest';
import { problemsOf } from '../test/check-trajectory.ts';
import { createAgentRun } from './agent-run.ts';

const USAGE = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 40 };
const EVENTS = [
  { type: 'run:started', task: 'Go.', model: 'anthropic/m' },
  { type: 'llm:tool-call', toolName: 'bash', args: { command: 'ls' }, callId: 'c1' },
  { type: 'llm:tool-call', toolName: 'apply_patch', args: '*** Begin Patch', callId: 'c2' },
  { type: 'llm:response', content: 'Look.', reasoning: 'hmm', tokenUsage: USAGE, cost: 0.25 },
  {
    type: 'llm:tool-result',
    callId: 'c1',
    sanitized: [
      { type: 'text', text: 'a' },
      { type: 'image', data: '' },
    ],
  },
  { type: 'context:compressed', originalTokens: 900, compressedTokens: 300 },
  { type: 'llm:tool-call', toolName: 'bash', args: {}, callId: 'c1' },
  { type: 'llm:error', content: '', recoverable: true },
  { type: 'llm:tool-call', toolName: 'read', args: { path: 'x' }, callId: 'c1' },
  { type: 'llm:response', content: 'Read.', tokenUsage: USAGE, cost: 0.5 },
  { type: 'llm:tool-result', callId: 'c1', sanitized: [{ type: 'text', text: 'b' }] },
  { type: 'llm:tool-result', callId: 'unknown', sanitized: [] },
];
const FINISHED = {
  type: 'run:finished',
  status: 'limit',
  text: 'So far.',
  error: { code: 'x', message: 'Too long.' },
};

function played(events: readonly object[]) {
  const run = createAgentRun('1.2.3');
  for (const [index, event] of events.entries())
    run.addLine(JSON.stringify({ ...event, at: 1_700_000_000_000 + index, sessionId: 's' }));
  return run;
}

it('makes a valid trajectory of the events, with each result at the step of its call', () => {
  const trajectory = played([...EVENTS, FINISHED]).trajectory();
  expect(problemsOf(trajectory)).toEqual([]);
  expect(trajectory.steps.map(({ source, message }) => `${source}: ${message}`)).toEqual([
    'user: Go.',
    'agent: Look.',
    'system: The context was compacted from 900 to 300 tokens.',
    'agent: Read.',
  ]);
  expect(trajectory.steps[1]).toMatchObject({
    reasoning_content: 'hmm',
    tool_calls: [{ arguments: { command: 'ls' } }, { arguments: { input: '*** Begin Patch' } }],
    observation: { results: [{ source_call_id: 'c1', content: 'a\n[image]' }] },
  });
  expect(trajectory.steps[3]?.tool_calls).toHaveLength(1);
  expect(trajectory.steps[3]?.observation?.results).toEqual([{ source_call_id: 'c1', content: 'b' }]);
  expect(trajectory.final_metrics).toEqual({
    total_prompt_tokens: 200,
    total_completion_tokens: 20,
    total_cached_tokens: 80,
    total_cost_usd: 0.75,
    total_steps: 4,
  });
});

it('reports a finished run, a running one, and one that was killed', () => {
  const run = played([...EVENTS, FINISHED]);
  run.end(3);
  expect(run.result()).toEqual({
    status: 'limit',
    exitCode: 3,
    sessionId: 's',
    model: 'anthropic/m',
    answer: 'So far.',
    error: 'Too long.',
    modelCalls: 2,
    compactions: 1,
    usage: { inputTokens: 200, outputTokens: 20, cacheReadTokens: 80 },
    costUsd: 0.75,
  });
  const killed = played(EVENTS);
  expect(killed.result()).toMatchObject({ status: 'running', exitCode: null, answer: 'Read.' });
  killed.end(null);
  expect(killed.result()).toMatchObject({ status: 'failed', exitCode: null, costUsd: 0.75 });
});

it('ignores lines that are not events, and leaves the cost unknown without a price', () => {
  const run = played([]);
  for (const line of ['', 'not JSON', '[]', '1', '{"type":1}', '{"type":"toString"}', '{"type":"new:event"}'])
    run.addLine(line);
  expect(run.result()).toMatchObject({ costUsd: null, modelCalls: 0, usage: { inputTokens: 0 } });
});
