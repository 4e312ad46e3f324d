import { z } from 'zod';
import type { ErrorCode } from '../error-traits.ts';
import { nameText, sessionIdSchema } from './common.ts';

export const healthSchema = z.looseObject({ status: z.literal('ok') });

const healthCheckSchema = z.looseObject({
  ok: z.boolean(),
  code: z.string().optional().meta({ description: 'Code of the error, if it is not ok.' }),
  freeBytes: z.int().min(0).optional().meta({ description: 'Free space on the disk of the store.' }),
});
const healthChecksSchema = z.looseObject({
  store: healthCheckSchema.meta({ description: 'The store can be written.' }),
  disk: healthCheckSchema.meta({ description: 'The disk of the store has room.' }),
  sandbox: healthCheckSchema.meta({ description: 'A command ran in a new sandbox, at most 10 minutes ago.' }),
  model: healthCheckSchema.meta({
    description:
      'The last call of a model did not fail for a lasting reason, or the default model can be used.',
  }),
});

export interface HealthCheck {
  ok: boolean;
  code?: ErrorCode | undefined;
  freeBytes?: number;
}
export type HealthChecks = Record<'store' | 'disk' | 'sandbox' | 'model', HealthCheck>;

export const readySchema = z.looseObject({
  status: z.enum(['ready', 'stopping', 'unavailable']),
  runs: z.int().min(0).meta({ description: 'Number of active runs on this server.' }),
  machine: z
    .string()
    .optional()
    .meta({ description: 'The machine of this server, of several with one database.' }),
  role: z.enum(['all', 'api', 'worker']).optional().meta({ description: 'What it does among them.' }),
  queue: z
    .looseObject({ waiting: z.int().min(0), driven: z.int().min(0) })
    .optional()
    .meta({
      description:
        'Sessions of its machine: those that wait for a server, and those that a server drives. Absent: the database cannot be read.',
    }),
  maxRuns: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'Runs that this server has at the same time at most. Absent: no limit.' }),
  checks: healthChecksSchema.optional(),
});

export const blobParams = z.strictObject({
  blobId: z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits' }),
});
export const blobQuery = z.strictObject({
  sessionId: sessionIdSchema
    .optional()
    .meta({ description: 'A session that contains it. Required for tokens whose scope is not admin.' }),
  type: z
    .enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
    .optional()
    .meta({ description: 'Media type to display the image as. Default: the bytes are a download.' }),
});

/** The format of `longhaul export`. */
export const exportSchema = z.looseObject({
  format: z.literal('longhaul-session'),
  version: z.literal(1),
  children: z
    .array(z.looseObject({ format: z.literal('longhaul-session'), version: z.literal(1) }))
    .optional()
    .meta({
      description: 'The descendants of the session, each before its own children. Absent if it has none.',
    }),
});

export const exportQuery = z.strictObject({
  files: z.enum(['true', 'false']).default('false').meta({
    description: 'Add the recorded files of the workspace as `packs`, so that an import can restore them.',
  }),
});

export const importQuery = z.strictObject({
  workspace: nameText(4_096)
    .min(1)
    .optional()
    .meta({ description: 'Folder on the server, as for createSession.' }),
  name: nameText(255)
    .min(1)
    .optional()
    .meta({ description: 'Name of the file. It is used in the title and in error messages.' }),
});

export const importResultSchema = z.looseObject({
  sessionId: z.string(),
  title: z.string(),
  format: z.string(),
  messages: z.int(),
  calls: z.int(),
  compactions: z.int(),
  marks: z.int(),
  children: z.int().optional(),
  skipped: z.array(z.looseObject({ where: z.string(), reason: z.string(), count: z.int() })),
  recordedWorkspace: z.string().optional(),
});
export type ImportResult = z.infer<typeof importResultSchema>;
