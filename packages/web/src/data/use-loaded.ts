import { useCallback } from 'react';
import { useRead } from './use-read.ts';

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
export function useLoaded<T extends object>(
  key: string,
  read: (signal: AbortSignal) => Promise<T>,
): Loaded<T> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names what is read
  const { value, problem } = useRead(useCallback(read, [key]));
  if (problem !== undefined) return { state: 'failed', problem };
  return value === undefined ? { state: 'loading' } : { state: 'ready', value };
}
