import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { limit, setting } from './values.ts';

export const storage = z.strictObject({
  url: setting(
    z.string().regex(/^(?:sqlite|memory|postgres|postgresql):/, {
      error: 'must start with sqlite:, memory: or postgres:',
    }),
    'Where sessions are stored: sqlite:PATH, or memory: for this process only.',
    D.storage.url,
  ),
  retention: setting(
    z.strictObject({
      days: setting(
        limit,
        'Delete sessions that were not used for this many days.',
        D.storage.retention.days,
      ),
      maxBytes: setting(
        limit,
        'Delete sessions, the least recently used first, until database and blobs are no larger than this.',
        D.storage.retention.maxBytes,
      ),
    }),
    'Which sessions longhaul gc deletes, after confirmation. null: none.',
  ),
});
