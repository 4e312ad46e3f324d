import { useEffect, useRef } from 'react';
import { Virtualizer } from 'virtua';
import { ChildSessions } from './child-sessions.tsx';
import { SessionLine } from './session-line.tsx';
import { useSessionList, useSessionListState } from './use-session-list.ts';
import { inWorkspace } from './workspaces.ts';

/** Pixels to the end of the list at which more sessions are read. */
const NEAR_END_PX = 800;

/** The sessions of all workspaces or of one. Older ones are read when the end comes near. */
export function SessionRows({ workspace, shown }: { workspace: string; shown: string | undefined }) {
  const list = useSessionList();
  const sessions = useSessionListState((state) => state.sessions);
  const hasMore = useSessionListState((state) => state.hasMore);
  const isLoadingMore = useSessionListState((state) => state.isLoadingMore);
  const isLoaded = useSessionListState((state) => state.isLoaded);
  const problem = useSessionListState((state) => state.problem);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = sessions.filter((session) => inWorkspace(session, workspace));

  const readMore = () => {
    const element = scroller.current;
    if (element === null || !hasMore || isLoadingMore || problem !== undefined) return;
    if (element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX) void list.showMore();
  };
  // A filter can leave too few rows to scroll.
  useEffect(readMore);

  return (
    <div className="sidebar-scroll" ref={scroller} onScroll={readMore} tabIndex={-1}>
      {isLoaded && rows.length === 0 && !hasMore && (
        <p className="quiet">{sessions.length === 0 ? 'No sessions yet.' : 'No sessions in this folder.'}</p>
      )}
      <Virtualizer as="ul" item="li" scrollRef={scroller} bufferSize={400}>
        {rows.map((session) => (
          <div key={session.id}>
            <SessionLine session={session} isShown={session.id === shown} />
            <ChildSessions session={session} shown={shown} />
          </div>
        ))}
      </Virtualizer>
      {isLoadingMore && <p className="quiet">Loading more…</p>}
      {problem !== undefined && (
        <div role="alert">
          <p className="bad">{problem}</p>
          <button type="button" className="button small" onClick={() => list.refresh()}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}
