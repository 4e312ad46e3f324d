import { z } from 'zod';
import { sessionSchema } from '../schemas.ts';
import { jsonObjectSchema, modelNameSchema, nameText, queryCount, sessionIdSchema } from './common.ts';

/** How a session stands now. `running`: somebody works on it; `interrupted`: whoever did is dead. Else how its last run ended. */
export const sessionStateSchema = z.enum([
  'active',
  'completed',
  'failed',
  'cancelled',
  'running',
  'interrupted',
]);
export type SessionState = z.infer<typeof sessionStateSchema>;

/** A session, and how it stands. */
export const sessionInfoSchema = z.intersection(sessionSchema, z.looseObject({ state: sessionStateSchema }));
export type SessionInfo = z.infer<typeof sessionInfoSchema>;

export const sessionDetailSchema = z.intersection(
  sessionInfoSchema,
  z.looseObject({
    /** Number of the newest event: `events?after=` with it gives what comes from now on. */
    lastEvent: z.int().min(0),
    queued: z.int().min(0).meta({ description: 'Messages that wait.' }),
  }),
);
export type SessionDetail = z.infer<typeof sessionDetailSchema>;

const MAX_TITLE = 300;

export const createSessionBody = z.strictObject({
  workspace: nameText(4_096).min(1).optional().meta({
    description:
      'Folder on the server, inside one that it allows. Default: the first of these. A relative path starts there.',
  }),
  model: modelNameSchema.optional().meta({ description: 'provider/model. Default: the configured one.' }),
  agent: nameText(200)
    .min(1)
    .optional()
    .meta({ description: 'An agent of the configuration. Default: the one in metadata.agent, else coder.' }),
  title: nameText(MAX_TITLE).min(1).optional(),
  task: nameText(2_000).optional().meta({ description: 'What it is about. Default: the first message.' }),
  metadata: jsonObjectSchema.optional(),
});
export type CreateSessionBody = z.infer<typeof createSessionBody>;

export const updateSessionBody = z.strictObject({
  title: nameText(MAX_TITLE).min(1).optional(),
  model: modelNameSchema.optional(),
  metadata: jsonObjectSchema
    .optional()
    .meta({ description: 'Is merged with what stands there; null takes a key away.' }),
});
export type UpdateSessionBody = z.infer<typeof updateSessionBody>;

export const listSessionsQuery = z.strictObject({
  limit: queryCount({ max: 200 }).default(50),
  before: sessionIdSchema.optional().meta({ description: '`next` of the page before.' }),
  search: nameText(200).optional().meta({ description: 'Words in title or task.' }),
});

export const sessionPageSchema = z.looseObject({
  sessions: z.array(sessionInfoSchema).meta({ description: 'The newest first.' }),
  next: z.string().optional().meta({ description: 'Absent: this is the last page.' }),
});
export type SessionPage = z.infer<typeof sessionPageSchema>;

export const forkSessionBody = z.strictObject({
  at: nameText(200)
    .min(1)
    .optional()
    .meta({ description: 'Last message of the fork: its id, or a handle such as m12. Default: the newest.' }),
  title: nameText(MAX_TITLE).min(1).optional(),
});
export type ForkSessionBody = z.infer<typeof forkSessionBody>;
