import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Done when what was written is on its way, or the reader has left. */
export async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return;
  const left = new AbortController();
  try {
    await Promise.race([once(response, 'drain', left), once(response, 'close', left)]);
  } finally {
    left.abort();
  }
}
