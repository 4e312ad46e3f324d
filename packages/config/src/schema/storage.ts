import * as z from 'zod';
import { DEFAULT_CONFIG as D } from '../config.ts';
import { limit, setting } from './values.ts';

export const storage = z.strictObject({
  url: setting(
    z.string().regex(/^(?:sqlite|memory|postgres|postgresql):/, {
      error: 'must start with sqlite:, memory: or postgres:',
    }),
    'Where sessions live.',
    D.storage.url,
  ),
  retention: setting(
    z.strictObject({
      days: setting(limit, 'Sessions unused for so many days may go.', D.storage.retention.days),
      maxBytes: setting(
        limit,
        'Sessions may go, the longest unused first, until database and blobs take no more.',
        D.storage.retention.maxBytes,
      ),
    }),
    'What longhaul gc may drop of sessions, once it has asked. null: nothing.',
  ),
});
