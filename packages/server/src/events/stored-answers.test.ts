import type { LonghaulEvent, Message } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { StoredAnswers } from './stored-answers.ts';

const HOUR = 3_600_000;

const answer = (sequence: number, createdAt: number): Message => ({
  id: `m${sequence}`,
  sessionId: 's',
  sequence,
  role: 'assistant',
  parts: [],
  status: 'done',
  createdAt,
  tokenCount: 1,
});

const response = (messageId: string, at: number): LonghaulEvent => ({
  type: 'llm:response',
  sessionId: 's',
  at,
  messageId,
  content: '',
  provider: 'p',
  model: 'm',
  finishReason: 'stop',
});

const reading = (messages: Message[]) =>
  new StoredAnswers(
    {
      readMessages: async (_id, { after = 0 }) => ({
        messages: messages.filter(({ sequence }) => sequence > after),
        damaged: [],
      }),
    },
    's',
  );

const ids = (messages: readonly Message[]) => messages.map(({ id }) => id);

it('sends the answer of a process whose clock is behind, after one of this process', async () => {
  const answers = reading([answer(1, HOUR), answer(2, 10)]);
  answers.recordHere(response('m1', HOUR));
  await answers.read();
  expect(ids(answers.takeBefore(response('m2', 11)))).toEqual(['m2']);
});

it('sends each answer before its event, whatever the clocks of the processes', async () => {
  const answers = reading([answer(1, HOUR), answer(2, 10), answer(3, 2 * HOUR)]);
  await answers.read();
  expect(ids(answers.takeBefore(response('m1', 5)))).toEqual(['m1']);
  expect(ids(answers.takeBefore(response('m2', 5)))).toEqual(['m2']);
  expect(ids(answers.takeRest())).toEqual(['m3']);
});
