import { expect, it, vi } from 'vitest';
import { createPaint } from '../render/paint.ts';
import { ApprovalQuestions, type ApprovalQuestionsOptions } from './approval-questions.ts';
import type { GivenAnswer } from './panels/approval-panel.ts';
import type { ApprovalOptions } from './surface/surface.ts';

const REQUEST = { handle: 'm2.0', toolName: 'bash', args: { command: 'ls' }, alwaysAllows: ['ls'] };

/** The question about one call, and the answers that reach the conversation. */
async function asked(answering: () => Promise<void>) {
  const answer = vi.fn((_request: unknown, _given: GivenAnswer) => answering());
  const shown: ApprovalOptions[] = [];
  const options = {
    surface: {
      keys: 0,
      print: () => undefined,
      notify: () => undefined,
      askApproval(given: ApprovalOptions) {
        shown.push(given);
        return { [Symbol.dispose]: () => undefined };
      },
    },
    paint: createPaint(false),
    conversation: { approvals: [REQUEST], workspace: '/work', answer },
    remarks: { guarded: (work: () => Promise<void>) => work().catch(() => undefined) },
    rules: undefined,
  } as unknown as ApprovalQuestionsOptions;
  await new ApprovalQuestions(options).update();
  return { answer, question: shown[0] };
}

it('sends one answer if a person presses several keys', async () => {
  const { answer, question } = await asked(async () => undefined);
  question?.onAnswer({ answer: 'once' });
  question?.onAnswer({ answer: 'deny' });
  question?.onAlways();
  expect(answer.mock.calls.map(([, given]) => given)).toEqual([{ answer: 'once' }]);
});

it('takes another answer after one that could not be sent', async () => {
  const { answer, question } = await asked(() => Promise.reject(new Error('The server is gone.')));
  question?.onAnswer({ answer: 'once' });
  const answeredAgain = () => {
    question?.onAnswer({ answer: 'deny' });
    return answer.mock.calls.length;
  };
  await expect.poll(answeredAgain).toBe(2);
});
