import { z } from 'zod';
import type { Approval } from '../approval.ts';
import { jsonValueSchema, nameText, sessionIdSchema } from './common.ts';

const answer = z.enum(['once', 'always', 'deny']);

export const approvalSchema = z.looseObject({
  sessionId: z.string(),
  callId: z.string(),
  handle: z.string().meta({ description: "The call's place in the session, such as m12.3." }),
  toolName: z.string(),
  args: jsonValueSchema,
  requestedAt: z.number(),
  answeredAt: z.number().optional().meta({ description: 'Absent while it waits.' }),
  answer: answer.optional(),
  reason: z.string().optional(),
}) satisfies z.ZodType<Approval>;

export const approvalParams = z.strictObject({ sessionId: sessionIdSchema, callId: nameText(200).min(1) });

export const approvalsQuery = z.strictObject({
  open: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'true: only those that wait. Default: all.' }),
});

export const approvalsSchema = z.looseObject({ approvals: z.array(approvalSchema) });
export type ApprovalList = z.infer<typeof approvalsSchema>;

export const answerApprovalBody = z.strictObject({
  answer: answer.meta({
    description: 'once: this call. always: the same, for the rest of the session. deny: it is not made.',
  }),
  reason: nameText(2_000).optional().meta({ description: 'For the model, with deny.' }),
  handle: nameText(40).min(1).optional().meta({
    description:
      'Of the request that is meant: a provider may use a call id again. Needed where several requests of the session have this id.',
  }),
});
export type AnswerApprovalBody = z.infer<typeof answerApprovalBody>;

export const answeredApprovalSchema = z.looseObject({
  ok: z.literal(true),
  approval: approvalSchema,
  isNew: z
    .boolean()
    .meta({ description: 'False, without a handle only: somebody had answered before; approval says what.' }),
});
export type AnsweredApprovalResult = z.infer<typeof answeredApprovalSchema>;
