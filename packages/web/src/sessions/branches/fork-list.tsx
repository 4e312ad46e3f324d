import { useCallback } from 'react';
import { useServer } from '../../data/server.ts';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../data/use-session.ts';
import { formatRoute } from '../../shell/route.ts';
import { formatTime } from '../../ui/format.ts';
import { sessionName } from '../session-names.ts';
import { SessionStateMark } from '../session-state-mark.tsx';
import { useSessionListState } from '../use-session-list.ts';
import { type FamilyNode, readFamily } from './family.ts';

/** The session from which this one was forked, and all forks of it. */
export function ForkList() {
  const { client } = useServer();
  const session = useSession();
  const newest = useSessionListState(({ sessions }) => sessions[0]?.id);
  const family = useRead(
    // biome-ignore lint/correctness/useExhaustiveDependencies: a new session can be a fork
    useCallback((signal) => readFamily(client, session.id, signal), [client, session, newest]),
  );
  if (family.problem !== undefined) return <p className="bad">{family.problem}</p>;
  if (family.value === undefined) return <p className="quiet">Loading…</p>;
  const { root, isOriginGone, isCut } = family.value;
  return (
    <>
      {isOriginGone && <p className="quiet">The session that it was forked from is deleted.</p>}
      {root.forks.length === 0 && <p className="quiet">No forks yet.</p>}
      <ul className="branches">
        <Fork node={root} shown={session.id} />
      </ul>
      {isCut && <p className="quiet">There are too many sessions to check. Some forks may be missing.</p>}
    </>
  );
}

function Fork({ node: { session, at, forks }, shown }: { node: FamilyNode; shown: string }) {
  const isShown = session.id === shown;
  return (
    <li>
      <div className="branch" data-shown={isShown || undefined}>
        <a
          href={formatRoute({ page: 'session', sessionId: session.id, panel: 'tree' })}
          aria-current={isShown ? 'page' : undefined}
        >
          {sessionName(session)}
        </a>
        <span className="quiet">
          <SessionStateMark session={session} /> {at !== undefined && `from m${at} · `}
          {formatTime(session.createdAt)}
        </span>
      </div>
      {forks.length > 0 && (
        <ul className="branches">
          {forks.map((fork) => (
            <Fork key={fork.session.id} node={fork} shown={shown} />
          ))}
        </ul>
      )}
    </li>
  );
}
