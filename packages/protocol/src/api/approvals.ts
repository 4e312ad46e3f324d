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
  answeredAt: z.number().optional().meta({ description: 'Absent while the request is open.' }),
  answer: answer.optional(),
  reason: z.string().optional(),
}) satisfies z.ZodType<Approval>;

export const approvalParams = z.strictObject({ sessionId: sessionIdSchema, callId: nameText(200).min(1) });

export const approvalsQuery = z.strictObject({
  open: z.enum(['true', 'false']).optional().meta({ description: 'true: only open requests. Default: all.' }),
});

export const approvalsSchema = z.looseObject({ approvals: z.array(approvalSchema) });
export type ApprovalList = z.infer<typeof approvalsSchema>;

export const answerApprovalBody = z.strictObject({
  answer: answer.meta({
    description:
      'once: allow this call. always: also allow the same for the rest of the session. deny: refuse it.',
  }),
  reason: nameText(2_000).optional().meta({ description: 'With deny: the reason, for the model.' }),
  handle: nameText(40).min(1).optional().meta({
    description:
      'Handle of the request. Required if several requests of the session have this call id, because providers may reuse ids.',
  }),
});
export type AnswerApprovalBody = z.infer<typeof answerApprovalBody>;

export const answeredApprovalSchema = z.looseObject({
  ok: z.literal(true),
  approval: approvalSchema,
  isNew: z.boolean().meta({
    description:
      'false: the request had been answered before; approval holds that answer. Only without a handle.',
  }),
});
export type AnsweredApprovalResult = z.infer<typeof answeredApprovalSchema>;
