import { PassThrough } from 'node:stream';
import type { ApprovalService, EventListener } from '@longhaul/core';
import type { ApprovalAnswer, EventOf } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { processTerminal } from '../terminal.ts';
import { answerApprovals } from './answer-approvals.ts';

/** Requests that are told of by hand, and answers that take as long to be stored as the test wants. */
function agent() {
  const listeners = new Set<EventListener>();
  const answered: string[] = [];
  const stored = Promise.withResolvers<void>();
  const answer = async (
    _: string,
    callId: string,
    { answer: said, handle }: { answer: ApprovalAnswer; handle?: string },
  ) => {
    expect(handle).toBe(`m2.${callId}`);
    answered.push(`${callId}: ${said}`);
    await stored.promise;
  };
  return {
    runtime: {
      subscribe: (listener: EventListener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      approvals: { list: async () => [], answer } as unknown as ApprovalService,
    },
    answered,
    storeNow: () => stored.resolve(),
    ask(callId: string) {
      const event: EventOf<'approval:requested'> = {
        type: 'approval:requested',
        sessionId: 's',
        at: 0,
        callId,
        handle: `m2.${callId}`,
        toolName: 'bash',
        args: { command: `make ${callId}` },
      };
      for (const listener of listeners) listener(event);
    },
  };
}

it('asks one question at a time, also while an answer is being stored', async () => {
  const { runtime, answered, storeNow, ask } = agent();
  const input = new PassThrough();
  const out = new PassThrough();
  let shown = '';
  out.on('data', (data) => {
    shown += data;
  });
  const terminal = Object.assign(processTerminal(), { out, err: out });
  Object.defineProperty(terminal, 'input', { value: input });
  using _answering = await answerApprovals({
    runtime,
    terminal,
    sessionId: 's',
    pause: () => ({ [Symbol.dispose]: () => undefined }),
  });
  ask('one');
  ask('two');
  await expect.poll(() => shown).toContain('make one');
  input.write('y\n');
  await expect.poll(() => answered).toEqual(['one: once']);
  ask('three');
  await new Promise((resolve) => setImmediate(resolve));
  expect(shown).not.toMatch(/make (?:two|three)/);
  storeNow();
  await expect.poll(() => shown).toContain('make two');
  input.write('y\n');
  await expect.poll(() => shown).toContain('make three');
  expect(answered).toEqual(['one: once', 'two: once']);
  input.write('n\n');
  await expect.poll(() => shown).toContain('Why not?');
  input.write('Not now.\n');
  await expect.poll(() => answered).toEqual(['one: once', 'two: once', 'three: deny']);
});
