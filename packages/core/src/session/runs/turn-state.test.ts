import type { Message } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import { answer, playedDriver, testRun } from '@longhaul/testing/doubles';
import { armFault, type FaultPoint, storeWithFaultPoints } from '@longhaul/testing/fault-points';
import { expect, it } from 'vitest';
import type { MessageDraft } from '../../ports/index.ts';
import { draftSyntheticMessage } from '../messages/user-message.ts';
import type { SessionWriter } from '../session-writer.ts';
import { continueFrom, isAnswered } from './turn-state.ts';

/** A session whose process stops once, when a write passes the point. */
async function stoppingRun(point: FaultPoint, count: number, answers: Parameters<typeof playedDriver>[0]) {
  const stop = () => {
    throw new Error('stopped');
  };
  const store = storeWithFaultPoints(createMemoryStore(), armFault({ point, count }, stop));
  const driver = playedDriver(answers);
  return { ...(await testRun(driver, [], { store })), driver };
}

it('asks again after an empty answer after which the process stopped', async () => {
  const test = await stoppingRun('close-committed', 1, [answer(''), answer('Done.')]);
  expect(await test.run('one')).toMatchObject({ status: 'failed' });
  expect(await test.runtime.resume(test.sessionId)).toMatchObject({ status: 'completed', text: 'Done.' });
  expect(JSON.stringify(test.driver.requests.at(-1)?.messages)).toContain('Your answer was empty.');
  expect(await test.runtime.resume(test.sessionId)).toEqual({ status: 'nothing' });
});

/** Returns the reasons of the messages that continue a log with this end. */
async function reasonsAfter(end: readonly Message[]): Promise<unknown[]> {
  const reasons: unknown[] = [];
  const appendMessage = async ({ metadata }: MessageDraft) => void reasons.push(metadata?.synthetic);
  await continueFrom({ log: { messages: end }, appendMessage } as unknown as SessionWriter, false);
  return reasons;
}

const stored = (draft: MessageDraft, sequence: number): Message => ({ ...draft, sequence, sessionId: 's' });

it('continues the work after the request for a closing note, which the process stopped', async () => {
  const request = stored(draftSyntheticMessage('Write a note.', 'limit'), 1);
  expect(isAnswered([request])).toBe(false);
  expect(await reasonsAfter([request])).toEqual(['continue-limit']);
});

it('takes a hidden answer, which is loaded without its text, for an answer', () => {
  const draft = draftSyntheticMessage('', 'limit');
  const hidden = { ...stored(draft, 1), role: 'assistant', finishReason: 'stop', parts: [] } as const;
  const message = { ...hidden, parts: [], metadata: {} };
  expect(isAnswered([{ ...message, tokenCount: 9 }])).toBe(true);
  expect(isAnswered([{ ...message, tokenCount: 0 }])).toBe(false);
});
