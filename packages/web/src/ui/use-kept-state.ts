import { type Dispatch, type SetStateAction, useState } from 'react';

const kept = new Map<string, unknown>();

/** State that is kept while its view is closed. Loading the page again resets it. */
export function useKeptState<T>(key: string, initial: T): [value: T, set: Dispatch<SetStateAction<T>>] {
  // Each key is used for one type.
  const [value, setValue] = useState(() => (kept.has(key) ? (kept.get(key) as T) : initial));
  const set: Dispatch<SetStateAction<T>> = (change) =>
    setValue((before) => {
      const next = change instanceof Function ? change(before) : change;
      kept.set(key, next);
      return next;
    });
  return [value, set];
}
