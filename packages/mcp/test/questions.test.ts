import { fileURLToPath } from 'node:url';
import { createApprovers } from '@longhaul/approvals';
import { currentOwner } from '@longhaul/core';
import { type JsonObject, LonghaulError, QUESTION_TOOL, type Question, questionOf } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { callOnce, openRun, resultsOf, type ServedRun } from './run-with-servers.ts';

const program = fileURLToPath(new URL('asking-server.ts', import.meta.url));
const RULES = [{ tool: 'x_*', action: 'allow' }] as const;

/** A session whose servers' tools are allowed, so that only questions wait. */
function open(tool: string, { ask = 'wait' }: { ask?: 'wait' | 'deny' } = {}) {
  const x = { command: process.execPath, args: [program] };
  return openRun({ x }, callOnce(`x_${tool}`), {
    approverFor: createApprovers({ rules: RULES, ask, timeoutMs: null }),
  });
}

type Reply = Parameters<ServedRun['run']['runtime']['approvals']['answer']>[2];

/** Runs the session, and answers each question. Returns the questions. */
async function answered(served: ServedRun, reply: Reply): Promise<Question[]> {
  const { run } = served;
  const asked: Question[] = [];
  const end = run.runtime.subscribe((event) => {
    if (event.type !== 'approval:requested') return;
    const question = questionOf(event);
    if (question === undefined) throw new TypeError(`Unexpected approval of ${event.toolName}.`);
    asked.push(question);
    void run.runtime.approvals.answer(run.sessionId, event.callId, { ...reply, handle: event.handle });
  });
  await run.run('Go');
  end();
  return asked;
}

it('a question of a server waits for the person, whose values the server gets', async () => {
  await using served = await open('order');
  const content = { who: 'Ada', size: 'large' };
  const [question] = await answered(served, { answer: 'once', content });
  expect(question).toEqual({
    server: 'x',
    message: 'Order a pizza?',
    fields: [
      { name: 'who', label: 'Name: who gets it', kind: 'text', choices: [], isRequired: true },
      { name: 'count', label: 'count', kind: 'integer', choices: [], isRequired: false, initial: 1 },
      { name: 'size', label: 'size', kind: 'choice', choices: ['small', 'large'], isRequired: true },
    ],
  });
  expect(JSON.parse(resultsOf(served)[0] ?? '')).toEqual({
    action: 'accept',
    content: { ...content, count: 1 },
  });
  const { approvals } = served.run.runtime;
  expect(await approvals.list(served.run.sessionId)).toMatchObject([{ answer: 'once', content }]);
});

it('a question that is declined has a reason', async () => {
  await using served = await open('confirm');
  await answered(served, { answer: 'deny', reason: 'not hungry' });
  expect(JSON.parse(resultsOf(served)[0] ?? '')).toEqual({
    action: 'decline',
    _meta: { 'longhaul/reason': 'not hungry' },
  });
});

it('values that do not fit are refused, and the question stays open', async () => {
  await using served = await open('order');
  const { runtime, sessionId } = served.run;
  const refused: unknown[] = [];
  const end = runtime.subscribe((event) => {
    if (event.type !== 'approval:requested') return;
    const reply = async () => {
      const wrong: JsonObject[] = [{}, { who: 'Ada', size: 'huge' }, { who: 7, size: 'large' }];
      for (const content of wrong) {
        const given = { answer: 'once', content, handle: event.handle } as const;
        await runtime.approvals.answer(sessionId, event.callId, given).catch((error) => refused.push(error));
      }
      const content = { who: 'Ada', size: 'small' };
      await runtime.approvals.answer(sessionId, event.callId, {
        answer: 'once',
        content,
        handle: event.handle,
      });
    };
    void reply();
  });
  await served.run.run('Go');
  end();
  expect(refused.map((error) => error instanceof LonghaulError && [error.code, error.message])).toEqual([
    ['invalid_request', 'who needs a value.'],
    ['invalid_request', 'size must be one of small, large.'],
    ['invalid_request', 'who must be a text.'],
  ]);
  expect(resultsOf(served)[0]).toContain('"small"');
});

it('a question is declined if nobody can answer', async () => {
  await using served = await open('confirm', { ask: 'deny' });
  await served.run.run('Go');
  expect(resultsOf(served)[0]).toContain('nobody can answer');
  expect(served.run.of('approval:requested')).toEqual([]);
});

it('a server that asks without end is declined after ten questions', async () => {
  await using served = await open('nag');
  expect(await answered(served, { answer: 'once' })).toHaveLength(10);
  expect(resultsOf(served)[0]).toContain('A call can ask 10 questions.');
});

it('a question is closed when its run ends', async () => {
  await using served = await open('confirm');
  const { run } = served;
  const stop = new AbortController();
  const end = run.runtime.subscribe((event) => {
    if (event.type === 'approval:requested') stop.abort();
  });
  await run.run('Go', { signal: stop.signal });
  end();
  expect(await run.runtime.approvals.list(run.sessionId)).toMatchObject([
    { answer: 'deny', reason: 'the run ended before an answer' },
  ]);
});

it('a question that a killed run left open is closed by the next run', async () => {
  await using served = await open('confirm');
  const { runtime, store, sessionId } = served.run;
  const { lease } = await store.acquireLease(sessionId, {
    runId: 'killed',
    // No process has this number.
    owner: { ...currentOwner(), pid: 999_999_999 },
    ttlMs: 1,
    isAlive: () => false,
  });
  const args = { server: 'x', message: 'm', fields: [] };
  await store.requestApproval(lease, { callId: 'c', handle: 'm1.0q1', toolName: QUESTION_TOOL, args });
  await answered(served, { answer: 'once' });
  const [lost] = await runtime.approvals.list(sessionId);
  expect(lost).toMatchObject({ callId: 'c', answer: 'deny', reason: 'the run ended before an answer' });
});
