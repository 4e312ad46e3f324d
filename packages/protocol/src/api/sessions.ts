import { z } from 'zod';
import { isBlank } from '../empty-text.ts';
import { sessionSchema, tokenUsageSchema } from '../schemas.ts';
import { ACCESS_KEY, SHARES } from '../session-access.ts';
import { MACHINE_KEY } from '../session-machine.ts';
import { PRIORITIES, PRIORITY_KEY } from '../session-priority.ts';
import { WORKSPACE_SOURCE_KEY } from '../workspace-source.ts';
import {
  jsonObjectSchema,
  modelNameSchema,
  nameText,
  queryCount,
  sessionIdSchema,
  waitingSchema,
} from './common.ts';

/**
 * The current state of a session. `running`: a process works on it. `waiting`: it has work, and waits for a place of this
 * server. `interrupted`: the process that worked on it has died. The other values report how its last run ended.
 */
const sessionStateSchema = z.enum([
  'active',
  'completed',
  'failed',
  'cancelled',
  'running',
  'waiting',
  'interrupted',
]);
export type SessionState = z.infer<typeof sessionStateSchema>;

const spentFields = {
  steps: z.int().min(0).meta({ description: 'Answers of the model.' }),
  usage: tokenUsageSchema,
  cost: z
    .number()
    .optional()
    .meta({ description: 'In US dollars, without summaries. Absent: no price is known.' }),
};

const figuresSchema = z.looseObject({
  ...spentFields,
  children: z
    .looseObject({ sessions: z.int().min(1), ...spentFields })
    .optional()
    .meta({
      description:
        'What the child sessions and their own children have used. It is not included in the other figures. Absent: the session has none.',
    }),
  context: z
    .looseObject({
      tokens: z.number(),
      usableTokens: z.number(),
      windowTokens: z.number(),
      triggerTokens: z
        .number()
        .optional()
        .meta({ description: 'Size at which a request is compacted. Absent: no automatic compaction.' }),
    })
    .optional()
    .meta({ description: 'The last request, as its run measured it. Absent: the session has not run.' }),
  queued: z.int().min(0),
  openApprovals: z.int().min(0).meta({ description: 'Requests for approval without an answer.' }),
});

const sharedSchema = z.enum(SHARES).meta({
  description:
    'What other tokens may do with the session and its children. `none`: nothing. `read`: read it. `work`: also send messages, answer approvals and change it, if their scope allows this.',
});

const prioritySchema = z.enum(PRIORITIES).meta({
  description:
    'Among the sessions that wait for a place, those with a higher priority begin first. Sessions of the same priority take turns by their owners. Only an admin token can set `high`.',
});

/** A session and its state. */
export const sessionInfoSchema = z.intersection(
  sessionSchema,
  z.looseObject({
    state: sessionStateSchema,
    owner: z.string().optional().meta({
      description: 'The name of the token that created the session. `admin`: also sessions of the terminal.',
    }),
    shared: sharedSchema.optional(),
    priority: prioritySchema.optional(),
    isOwn: z.boolean().optional().meta({ description: 'The token of this request owns the session.' }),
    may: z.enum(['see', 'work', 'own']).optional().meta({
      description:
        'What the token of this request may do with the session. `see`: read it. `work`: also change its content. `own`: also share and delete it.',
    }),
    waiting: waitingSchema,
    figures: figuresSchema.optional().meta({ description: 'Only if the request has `figures=true`.' }),
  }),
);
export type SessionInfo = z.infer<typeof sessionInfoSchema>;

export const sessionDetailSchema = z.intersection(
  sessionInfoSchema,
  z.looseObject({
    /** Number of the newest event. `events?after=` with this number returns only later events. */
    lastEvent: z.int().min(0),
    queued: z.int().min(0).meta({ description: 'Number of messages in the queue.' }),
    background: z
      .array(
        z.looseObject({
          handle: z.string(),
          command: z.string(),
          isKept: z.boolean().meta({ description: 'It outlives the run that started it.' }),
        }),
      )
      .optional()
      .meta({ description: 'Commands that run in the background. Absent in responses of older servers.' }),
  }),
);
export type SessionDetail = z.infer<typeof sessionDetailSchema>;

const MAX_TITLE = 300;
const titleText = nameText(MAX_TITLE)
  .min(1)
  .refine((title) => !isBlank(title), { error: 'must contain a visible character' });

export const deleteSessionQuery = z.strictObject({
  undoSeconds: queryCount({ max: 86_400 }).optional().meta({
    description:
      'The session leaves lists and search at once, and is deleted after this time unless restoreSession takes that back. A message or a run in the meantime keeps the session. Default: it is deleted at once.',
  }),
});

/** Metadata that a client sets. */
const clientMetadata = jsonObjectSchema
  .refine((metadata) => !Object.hasOwn(metadata, ACCESS_KEY), {
    error: `must not contain "${ACCESS_KEY}", which says who may use the session. Set "shared" instead`,
  })
  .refine((metadata) => !Object.hasOwn(metadata, MACHINE_KEY), {
    error: `must not contain "${MACHINE_KEY}", which says which machine has the workspace`,
  })
  .refine((metadata) => !Object.hasOwn(metadata, PRIORITY_KEY), {
    error: `must not contain "${PRIORITY_KEY}". Set the field "priority" instead`,
  })
  .refine((metadata) => !Object.hasOwn(metadata, WORKSPACE_SOURCE_KEY), {
    error: `must not contain "${WORKSPACE_SOURCE_KEY}", which says where the files come from. Set "workspace" instead`,
  });

const folderSchema = nameText(4_096).min(1).meta({
  description:
    'Folder on the server. It must be one of server.workspaces, or inside one. A relative path is resolved against the first of them.',
});

const gitWorkspace = z
  .strictObject({
    git: nameText(2_048).min(1).meta({
      description:
        'Address of the repository: https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH, without a password. The server must allow the host (git.hosts).',
    }),
    ref: nameText(251).min(1).optional().meta({
      description: "A branch, a tag, or the whole id of a commit. Default: the repository's own branch.",
    }),
  })
  .meta({ description: 'A clone of a git repository.' });

const copiedWorkspace = z
  .strictObject({
    copyOf: folderSchema.nullable().meta({
      description: 'Folder whose recorded files are copied, as for a session in this folder. null: no files.',
    }),
  })
  .meta({ description: 'A copy of a folder.' });

export const createSessionBody = z.strictObject({
  workspace: z.union([folderSchema, gitWorkspace, copiedWorkspace]).optional().meta({
    description:
      'Folder on the server, a git repository, or a copy of a folder. With a repository or a copy, the session has a folder of its own, and moves between the machines of a cluster. Default: the first folder of server.workspaces.',
  }),
  model: modelNameSchema
    .optional()
    .meta({ description: 'provider/model. Default: the model of the agent, or else the configured model.' }),
  agent: nameText(200)
    .min(1)
    .optional()
    .meta({ description: 'Name of a configured agent. Default: metadata.agent, or else coder.' }),
  title: titleText.optional(),
  task: nameText(2_000)
    .optional()
    .meta({ description: 'What the session is about. Default: the text of the first message.' }),
  metadata: clientMetadata.optional(),
  shared: sharedSchema.optional(),
  priority: prioritySchema.optional(),
});
export type CreateSessionBody = z.infer<typeof createSessionBody>;

export const updateSessionBody = z.strictObject({
  title: titleText.optional(),
  model: modelNameSchema.optional(),
  metadata: clientMetadata
    .optional()
    .meta({ description: 'Merged into the existing metadata. null removes a key.' }),
  shared: sharedSchema.optional(),
  priority: prioritySchema.optional(),
});
export type UpdateSessionBody = z.infer<typeof updateSessionBody>;

const figures = z
  .enum(['true', 'false'])
  .default('false')
  .meta({ description: 'Also returns tokens, cost, window, queue and open approvals, as `figures`.' });

export const sessionQuery = z.strictObject({ figures });

export const listSessionsQuery = z.strictObject({
  figures,
  limit: queryCount({ max: 200 }).default(50),
  before: sessionIdSchema.optional().meta({ description: '`next` of the previous page.' }),
  search: nameText(200).optional().meta({ description: 'Words to find in the title or the task.' }),
  parent: sessionIdSchema
    .or(z.enum(['none', 'any']))
    .default('none')
    .meta({
      description:
        'Id of a session: only its children. `none`: only sessions that are no children. `any`: all sessions.',
    }),
});

export const sessionPageSchema = z.looseObject({
  sessions: z.array(sessionInfoSchema).meta({ description: 'Newest first.' }),
  next: z
    .string()
    .optional()
    .meta({ description: 'Value of `before` for the next page. Absent on the last page.' }),
});
export type SessionPage = z.infer<typeof sessionPageSchema>;

export const forkSessionBody = z.strictObject({
  at: nameText(200).min(1).optional().meta({
    description: 'Last message of the fork: its id, or a handle such as m12. Default: the newest message.',
  }),
  title: titleText.optional(),
});
export type ForkSessionBody = z.infer<typeof forkSessionBody>;
