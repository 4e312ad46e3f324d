import type { SessionInfo } from '@longhaul/protocol/api';
import { ChevronRight } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useServer } from '../data/server.ts';
import { useRead } from '../data/use-read.ts';
import { plural } from '../ui/format.ts';
import { SessionLine } from './session-line.tsx';

const MOST_CHILDREN = 200;

/** The children of a session, below its line. They are folded, and read when they are opened. */
export function ChildSessions({ session, shown }: { session: SessionInfo; shown: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const count = session.figures?.children?.sessions ?? 0;
  if (count === 0) return null;
  return (
    <div className="session-children">
      <button
        type="button"
        className="session-children-fold quiet"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight aria-hidden size={14} className="fold-mark" /> {plural(count, 'child session')}
      </button>
      {isOpen && <Opened session={session} shown={shown} />}
    </div>
  );
}

function Opened({ session, shown }: { session: SessionInfo; shown: string | undefined }) {
  const { client } = useServer();
  const { id, updatedAt, figures } = session;
  const steps = figures?.children?.steps;
  const { value, problem } = useRead(
    // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again when the family has changed
    useCallback(
      (signal: AbortSignal) =>
        client.sessions.list({ parent: id, figures: 'true', limit: MOST_CHILDREN }, { signal }),
      [client, id, updatedAt, steps],
    ),
  );
  if (problem !== undefined) return <p className="bad">{problem}</p>;
  if (value === undefined) return <p className="quiet">Loading…</p>;
  return (
    <ul aria-label="Child sessions">
      {value.sessions.toReversed().map((child) => (
        <li key={child.id}>
          <SessionLine session={child} isShown={child.id === shown} />
          <ChildSessions session={child} shown={shown} />
        </li>
      ))}
    </ul>
  );
}
