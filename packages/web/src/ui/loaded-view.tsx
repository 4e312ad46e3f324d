import type { ReactNode } from 'react';
import type { Loaded } from '../data/use-loaded.ts';

/** Shows what was read, or that it is being read, or why it could not be. */
export function LoadedView<T>({
  loaded,
  children,
}: {
  loaded: Loaded<T>;
  children: (value: T) => ReactNode;
}) {
  if (loaded.state === 'loading') return <p className="quiet">Loading…</p>;
  if (loaded.state === 'failed')
    return (
      <p role="alert" className="bad">
        {loaded.problem}
      </p>
    );
  return children(loaded.value);
}
