import { z } from 'zod';
import { fileChangeSchema } from '../schemas.ts';
import { nameText } from './common.ts';

const target = nameText(200).min(1).meta({ description: 'A message: its handle, such as m12, or its id.' });

const TRUNCATED = 'The diff is longer and was cut after a whole file.';

const changedFiles = {
  files: z.array(fileChangeSchema).meta({ description: 'At most 1,000, in the order of their paths.' }),
  more: z.int().optional().meta({ description: 'Number of changed files that are not in `files`.' }),
};

export const diffQuery = z.strictObject({
  target: target.optional().meta({
    description:
      'A step, or a user message for all steps that answer it. Default: what the whole session changed.',
  }),
});

export const diffSchema = z.looseObject({
  before: z.string().optional().meta({ description: 'Tree (`@tree:…`). Absent: no files were recorded.' }),
  after: z.string().optional(),
  ...changedFiles,
  diff: z.string().meta({ description: 'Unified diff, as `git apply` accepts it.' }),
  truncated: z.boolean().meta({ description: TRUNCATED }),
});

const filePath = nameText(4_096)
  .refine((path) => path === '' || path.split('/').every((name) => !['', '.', '..'].includes(name)), {
    error: 'must be a path in the workspace, such as src/main.ts',
  })
  .meta({ description: 'Relative to the workspace, with / between names.' });

const at = target.optional().meta({
  description: 'A message: the state after it. Default: the state that was recorded last.',
});

export const listFilesQuery = z.strictObject({ at, path: filePath.default('') });

export const fileEntriesSchema = z.looseObject({
  tree: z.string(),
  path: z.string(),
  entries: z.array(
    z.looseObject({
      name: z.string(),
      kind: z.enum(['file', 'folder', 'link', 'secret', 'large', 'unreadable']).meta({
        description: 'The content of secret, large and unreadable files is not recorded.',
      }),
      size: z.number().optional(),
    }),
  ),
});

export const readFileQuery = z.strictObject({ at, path: filePath.min(1) });

const revertFlags = {
  preview: z.boolean().optional().meta({ description: 'Return what would be restored, and change nothing.' }),
  diff: z.boolean().optional().meta({ description: 'With `preview`: also return `diff`.' }),
  force: z.boolean().optional().meta({ description: 'Also restore files that somebody else has changed.' }),
  keep: z.boolean().optional().meta({
    description:
      'Leave files that somebody else has changed as they are, and restore the others. Not with `force`.',
  }),
};

export const revertBody = z.strictObject({
  target,
  only: z
    .enum(['files', 'conversation'])
    .optional()
    .meta({ description: 'What goes back. Default: files and conversation.' }),
  after: z
    .boolean()
    .optional()
    .meta({ description: 'Continue after the message, on its branch. Default: before it.' }),
  ...revertFlags,
});

export const unrevertBody = z.strictObject(revertFlags);

export const revertResultSchema = z.looseObject({
  status: z.enum(['reverted', 'unchanged', 'preview', 'blocked']).meta({
    description:
      'blocked: somebody else changed `conflicts`. Nothing was done. unchanged: everything is already in that state.',
  }),
  handle: z.string(),
  conversation: z.boolean().meta({ description: 'Whether the conversation goes back.' }),
  hides: z.int().meta({ description: 'Messages that are hidden by this.' }),
  ...changedFiles,
  skipped: z.array(z.looseObject({ path: z.string(), reason: z.string() })),
  conflicts: z.array(z.string()).meta({
    description: 'Files that would be restored and that somebody else has changed. `keep` leaves them.',
  }),
  withoutFiles: z
    .literal(true)
    .optional()
    .meta({ description: 'No files were recorded before the message, so none were restored.' }),
  before: z.string().optional().meta({ description: 'In a preview: the tree of the present files.' }),
  after: z.string().optional().meta({ description: 'In a preview: the tree that would be restored.' }),
  diff: z.string().optional().meta({ description: 'What the revert would change, as a unified diff.' }),
  truncated: z.boolean().optional().meta({ description: TRUNCATED }),
});

export const conversationTreeSchema = z.looseObject({
  branches: z.array(
    z.looseObject({
      first: z.int(),
      last: z.int(),
      parent: z.int().meta({ description: 'Sequence of the message before the branch, or 0.' }),
      liveUntil: z
        .int()
        .optional()
        .meta({ description: 'Last message of the branch in the conversation. Absent: none.' }),
    }),
  ),
  head: z.int().meta({ description: 'The conversation continues after this message.' }),
  canUnrevert: z.boolean().meta({ description: 'Whether there is a revert that can be taken back.' }),
});
