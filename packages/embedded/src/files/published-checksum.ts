import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import * as z from 'zod';

const entries = z.array(
  z.looseObject({ path: z.string(), lfs: z.looseObject({ oid: z.string(), size: z.number() }).nullish() }),
);

/** `unknown`: the publisher names no checksum of this file, or cannot be asked. */
export type Checked = 'matches' | 'differs' | 'unknown';

/**
 * Compares a file with the checksum that Hugging Face lists for it: https://huggingface.co/docs/hub/api. A file is found
 * by its size, because the library gives it another name.
 */
export async function checkPublished(
  path: string,
  uri: string,
  {
    endpoint,
    fetch,
    signal,
  }: { endpoint: string; fetch: typeof globalThis.fetch; signal: AbortSignal | undefined },
): Promise<Checked> {
  const [, repository] = /^hf:\/{0,2}([\w.-]+\/[\w.-]+)/.exec(uri) ?? [];
  if (repository === undefined) return 'unknown';
  const listed = await listedFiles(`${endpoint}api/models/${repository}/tree/main`, fetch, signal);
  const { size } = await stat(path);
  const sums = listed.flatMap(({ lfs }) => (lfs?.size === size ? [lfs.oid] : []));
  if (sums.length === 0) return 'unknown';
  return sums.includes(await sha256(path)) ? 'matches' : 'differs';
}

async function listedFiles(
  url: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal | undefined,
): Promise<z.infer<typeof entries>> {
  try {
    const response = await fetch(url, { signal: signal ?? null });
    if (!response.ok) return [];
    return entries.parse(await response.json());
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    // Without the list, the checksum is unknown, and the caller says so.
    return [];
  }
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
