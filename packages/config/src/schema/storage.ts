import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { limit, setting } from './values.ts';

export const storage = z.strictObject({
  url: setting(
    z.string().regex(/^(?:sqlite|memory|postgres|postgresql):/, {
      error:
        'must start with sqlite:, postgres: or memory:, such as sqlite:PATH or postgres://USER@HOST/DATABASE',
    }),
    'Where sessions are stored: sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE, or memory: for sessions that end with the process. A relative path starts at the current folder, not at the folder of this file.',
    D.storage.url,
  ),
  blobs: setting(
    z
      .string()
      .regex(/^(?:postgres$|s3:|\/|~\/)/, {
        error: 'must be postgres, s3://BUCKET/PREFIX, or the path of a folder that starts with / or ~/',
      })
      .nullable(),
    'Where the images, files and full outputs of sessions in PostgreSQL are kept: postgres (in the database), s3://BUCKET/PREFIX?region=NAME&endpoint=URL, or a folder that all servers share. null: a folder of this machine. Blobs of an SQLite database are always next to it.',
    D.storage.blobs,
  ),
  retention: setting(
    z.strictObject({
      days: setting(
        limit,
        'Delete sessions that were not used for this many days. null: keep them.',
        D.storage.retention.days,
      ),
      maxBytes: setting(
        limit,
        'Delete the least recently used sessions until the database and the blobs take no more bytes than this. null: keep them.',
        D.storage.retention.maxBytes,
      ),
    }),
    'Which sessions longhaul gc deletes after you agree, and longhaul serve once a day.',
  ),
  keptOutput: setting(
    z.strictObject({
      maxMb: setting(
        z.number().positive(),
        'Maximum size in MiB of the full tool outputs of one session. When it is reached, a warning is shown.',
        D.storage.keptOutput.maxMb,
      ),
      deleteOldest: setting(
        z.boolean(),
        'Whether to delete the oldest full outputs of the session when maxMb is reached. recall then returns what the model saw in their place.',
        D.storage.keptOutput.deleteOldest,
      ),
    }),
    'Full texts of tool outputs that were shortened for the model. The tool recall reads them.',
  ),
});
