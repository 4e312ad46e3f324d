import { toLonghaulError } from '@longhaul/protocol';
import { useEffect, useState } from 'react';

export type Loaded<T> =
  | { state: 'loading' }
  | { state: 'ready'; value: T }
  | { state: 'failed'; problem: string };

/**
 * Reads something from the server, and reads it again when `key` changes. The former value stays until the new one is
 * there.
 *
 * @param read Reads it. Only its version of the time when `key` changed counts.
 */
export function useLoaded<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names what is read
  useEffect(() => {
    const ends = new AbortController();
    read(ends.signal)
      .then((value) => {
        if (!ends.signal.aborted) setLoaded({ state: 'ready', value });
      })
      .catch((error: unknown) => {
        if (!ends.signal.aborted) setLoaded({ state: 'failed', problem: toLonghaulError(error).message });
      });
    return () => ends.abort();
  }, [key]);
  return loaded;
}
