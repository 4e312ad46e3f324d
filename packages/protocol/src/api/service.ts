import { z } from 'zod';
import { nameText } from './common.ts';

export const healthSchema = z.looseObject({ status: z.literal('ok') });

export const readySchema = z.looseObject({
  status: z.enum(['ready', 'stopping', 'unavailable']),
  runs: z.int().min(0).meta({ description: 'Runs of this server that are under way.' }),
});

export const blobParams = z.strictObject({
  blobId: z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits' }),
});
export const blobQuery = z.strictObject({
  type: z
    .enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
    .optional()
    .meta({ description: 'As what a page shows it. Default: a download.' }),
});

/** `longhaul export`'s format. */
export const exportSchema = z.looseObject({
  format: z.literal('longhaul-session'),
  version: z.literal(1),
});

export const importQuery = z.strictObject({
  workspace: nameText(4_096).min(1).optional().meta({ description: 'As when a session is created.' }),
  name: nameText(255)
    .min(1)
    .optional()
    .meta({ description: 'Name of the file, for the title and messages.' }),
});

export const importResultSchema = z.looseObject({
  sessionId: z.string(),
  title: z.string(),
  format: z.string(),
  messages: z.int(),
  calls: z.int(),
  compactions: z.int(),
  marks: z.int(),
  skipped: z.array(z.looseObject({ where: z.string(), reason: z.string(), count: z.int() })),
  recordedWorkspace: z.string().optional(),
});
export type ImportResult = z.infer<typeof importResultSchema>;
