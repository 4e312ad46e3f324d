import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { limit, setting } from './values.ts';

export const storage = z.strictObject({
  url: setting(
    z.string().regex(/^(?:sqlite|memory):/, {
      error: 'must start with sqlite: or memory:, because sessions are stored in SQLite, such as sqlite:PATH',
    }),
    'Where sessions are stored: sqlite:PATH, or memory: for sessions that end with the process. A relative path starts at the current folder, not at the folder of this file.',
    D.storage.url,
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
    'Which sessions longhaul gc deletes after you agree.',
  ),
  keptOutput: setting(
    z.strictObject({
      maxMb: setting(
        z.number().positive(),
        'Maximum MiB of full tool outputs that one session keeps. At the maximum, a warning is shown.',
        D.storage.keptOutput.maxMb,
      ),
      deleteOldest: setting(
        z.boolean(),
        'Delete the oldest full outputs of the session at the maximum. Their handles then return what the model saw.',
        D.storage.keptOutput.deleteOldest,
      ),
    }),
    'The full texts of cut tool outputs, which recall reads.',
  ),
});
