import './sidebar.css';
import { Inbox, Plus, Settings, Upload } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useServer } from '../data/server.ts';
import { formatRoute, useRoute } from '../shell/route.ts';
import { SessionLine } from './session-line.tsx';
import { SessionList } from './session-list.ts';

/** All sessions, and the ways to the other pages. */
export function Sidebar() {
  const { client, events } = useServer();
  const route = useRoute();
  const [list] = useState(() => new SessionList(client));
  useEffect(() => list.follow(events), [list, events]);
  const { sessions, hasMore, problem, isLoaded } = useStore(list.store);
  const shown = route.page === 'session' ? route.sessionId : undefined;
  return (
    <nav className="sidebar" aria-label="Sessions">
      <a className="button primary sidebar-new" href={formatRoute({ page: 'home' })}>
        <Plus aria-hidden size={16} /> New session
      </a>
      {problem !== undefined && <p className="bad">{problem}</p>}
      {isLoaded && sessions.length === 0 && <p className="quiet">No sessions yet.</p>}
      <ul className="sidebar-list">
        {sessions.map((session) => (
          <SessionLine key={session.id} session={session} isShown={session.id === shown} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" className="button small" onClick={() => list.showMore()}>
          Show more
        </button>
      )}
      <div className="sidebar-pages">
        <a href={formatRoute({ page: 'inbox' })}>
          <Inbox aria-hidden size={16} /> Approvals
        </a>
        <a href={formatRoute({ page: 'replay' })}>
          <Upload aria-hidden size={16} /> Replay
        </a>
        <a href={formatRoute({ page: 'settings' })}>
          <Settings aria-hidden size={16} /> Settings
        </a>
      </div>
    </nav>
  );
}
