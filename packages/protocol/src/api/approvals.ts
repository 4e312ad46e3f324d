import { z } from 'zod';
import type { Approval } from '../approval.ts';
import { jsonObjectSchema, jsonValueSchema, nameText, sessionIdSchema } from './common.ts';

const answer = z.enum(['once', 'always', 'deny']);

export const askingChildSchema = z
  .looseObject({ sessionId: z.string(), agent: z.string(), title: z.string() })
  .meta({ description: 'The child session that asks. Absent: the session itself.' });

const approvalSchema = z.looseObject({
  sessionId: z.string(),
  callId: z.string(),
  handle: z.string().meta({
    description:
      'Handle of the tool call in the session, such as m12.3. Of a call of a child: m12.3/m4.1, where m12.3 has started the child.',
  }),
  child: askingChildSchema.optional(),
  toolName: z.string(),
  args: jsonValueSchema,
  requestedAt: z.number(),
  answeredAt: z.number().optional().meta({ description: 'Absent until the request is answered.' }),
  answer: answer.optional(),
  reason: z.string().optional(),
  content: jsonObjectSchema.optional(),
  alwaysAllows: z.array(z.string()).optional().meta({
    description:
      'What the answer always would allow for the rest of the session: simple commands as they are written, or a tool in the workspace, or a tool with a path. Only for requests without an answer.',
  }),
}) satisfies z.ZodType<Approval>;

export const approvalParams = z.strictObject({ sessionId: sessionIdSchema, callId: nameText(200).min(1) });

export const approvalsQuery = z.strictObject({
  open: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'true: only requests without an answer. Default: all requests.' }),
});

export const approvalsSchema = z.looseObject({ approvals: z.array(approvalSchema) });
export type ApprovalList = z.infer<typeof approvalsSchema>;

export const inboxSchema = z.looseObject({
  approvals: z
    .array(
      z.intersection(
        approvalSchema,
        z.looseObject({
          title: z.string(),
          parent: z
            .looseObject({ id: z.string(), title: z.string() })
            .optional()
            .meta({ description: 'The parent of the session, if it is a child session.' }),
        }),
      ),
    )
    .meta({ description: 'Oldest first, at most 500, with the titles of their sessions.' }),
});

export const answerApprovalBody = z.strictObject({
  answer: answer.meta({
    description:
      'once: approve this call. always: also approve later calls of this tool with the same subjects (such as commands or paths) in this session. deny: refuse the call.',
  }),
  reason: nameText(2_000).optional().meta({ description: 'Reason for deny, which the model sees.' }),
  content: jsonObjectSchema.optional().meta({
    description:
      'Values for the fields of a question of an MCP server (toolName mcp_question), by the names of the fields. Fields that are left out get their initial values.',
  }),
  handle: nameText(400).min(1).optional().meta({
    description:
      'Handle of the approval request. Required if several requests of the session have this call id, because a provider may reuse call ids.',
  }),
});
export type AnswerApprovalBody = z.infer<typeof answerApprovalBody>;

export const answeredApprovalSchema = z.looseObject({
  ok: z.literal(true),
  approval: approvalSchema,
  isNew: z.boolean().meta({
    description:
      'False if the request already had an answer, which is in approval. Only possible without a handle.',
  }),
});
export type AnsweredApprovalResult = z.infer<typeof answeredApprovalSchema>;
