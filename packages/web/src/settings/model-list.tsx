import type { Models } from '@longhaul/protocol/api';
import { useState } from 'react';
import { ModelTable } from './server-lists.tsx';

const MOST_ROWS = 100;

/** The models that sessions can use, with their windows. */
export function ModelList({ usable }: { usable: Models | undefined }) {
  const [query, setQuery] = useState('');
  if (usable === undefined) return null;
  if (usable.models.length === 0)
    return (
      <p className="quiet">
        No model was found. Longhaul lists the models of providers that have a key, and of model servers on
        the machine of the server.
      </p>
    );
  const words = query.toLowerCase().split(/\s+/);
  const found = usable.models.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  return (
    <>
      <input
        type="search"
        aria-label="Search models"
        placeholder="Search models"
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      {found.length === 0 ? (
        <p className="quiet">No model with these words.</p>
      ) : (
        <ModelTable models={found.slice(0, MOST_ROWS)} byDefault={usable.default} />
      )}
      {found.length > MOST_ROWS && (
        <p className="quiet">{found.length - MOST_ROWS} more. Search for a name.</p>
      )}
    </>
  );
}
