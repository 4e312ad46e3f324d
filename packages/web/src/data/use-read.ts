import { toLonghaulError } from '@longhaul/protocol';
import { useCallback, useEffect, useState } from 'react';

export interface Reading<T> {
  /** What was read last. Stays while it is read again. */
  value: T | undefined;
  /** Why the newest reading has failed. */
  problem: string | undefined;
  isReading: boolean;
  again: () => void;
  /** Shows a newer value that the server has sent, until it is read again. */
  put: (value: T) => void;
}

/**
 * Reads something of the server when the component appears, and again on demand.
 *
 * @param read Must stay the same function until something else is to be read.
 */
export function useRead<T>(read: (signal: AbortSignal) => Promise<T>): Reading<T> {
  const [state, setState] = useState<Omit<Reading<T>, 'again' | 'put'>>(NOTHING);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks for another reading
  useEffect(() => {
    const ends = new AbortController();
    setState((before) => ({ ...before, isReading: true }));
    read(ends.signal).then(
      (value) => !ends.signal.aborted && setState({ value, problem: undefined, isReading: false }),
      (error: unknown) => {
        if (ends.signal.aborted) return;
        const { message } = toLonghaulError(error);
        setState((before) => ({ ...before, problem: message, isReading: false }));
      },
    );
    return () => ends.abort();
  }, [read, round]);
  return {
    ...state,
    again: useCallback(() => setRound((before) => before + 1), []),
    put: useCallback((value: T) => setState((before) => ({ ...before, value })), []),
  };
}

const NOTHING = { value: undefined, problem: undefined, isReading: true };
