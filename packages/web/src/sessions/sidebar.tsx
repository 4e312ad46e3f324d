import './sidebar.css';
import { Inbox, Plus, Settings, Upload } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useServer } from '../data/server.ts';
import { formatRoute, useRoute } from '../shell/route.ts';
import { ImportButton } from './import/import-button.tsx';
import { SearchResults } from './search/search-results.tsx';
import { SessionSearch } from './search/session-search.ts';
import { folderName } from './session-names.ts';
import { SessionRows } from './session-rows.tsx';
import { useSessionListState } from './use-session-list.ts';
import { workspacesOf } from './workspaces.ts';

/** All sessions, the search in them, and the ways to the other pages. */
export function Sidebar() {
  const { client, events } = useServer();
  const route = useRoute();
  const [search] = useState(() => new SessionSearch(client));
  const [words, setWords] = useState('');
  const [workspace, setWorkspace] = useState('');
  const found = useStore(search.store);
  useEffect(() => search.follow(events), [search, events]);
  const shown = route.page === 'session' ? route.sessionId : undefined;
  const type = (text: string) => {
    setWords(text);
    search.type(text);
  };
  return (
    <nav className="sidebar" id="sidebar" aria-label="Sessions">
      <div className="sidebar-top">
        <a className="button primary sidebar-new" href={formatRoute({ page: 'home' })}>
          <Plus aria-hidden size={16} /> New session
        </a>
        <ImportButton />
      </div>
      <input
        type="search"
        aria-label="Search in all sessions"
        placeholder="Search in all sessions"
        value={words}
        onChange={(event) => type(event.target.value)}
      />
      {found.phase === 'idle' ? (
        <>
          <WorkspaceFilter workspace={workspace} onChange={setWorkspace} />
          <SessionRows workspace={workspace} shown={shown} />
        </>
      ) : (
        <SearchResults state={found} search={search} shown={shown} />
      )}
      <div className="sidebar-pages">
        <a href={formatRoute({ page: 'inbox' })} aria-current={route.page === 'inbox' ? 'page' : undefined}>
          <Inbox aria-hidden size={16} /> Approvals
          <OpenApprovals />
        </a>
        <a href={formatRoute({ page: 'replay' })} aria-current={route.page === 'replay' ? 'page' : undefined}>
          <Upload aria-hidden size={16} /> Replay
        </a>
        <a
          href={formatRoute({ page: 'settings' })}
          aria-current={route.page === 'settings' ? 'page' : undefined}
        >
          <Settings aria-hidden size={16} /> Settings
        </a>
      </div>
    </nav>
  );
}

function OpenApprovals() {
  const { inbox } = useServer();
  const count = useStore(inbox.store, ({ approvals }) => approvals.length);
  if (count === 0) return null;
  return (
    <span className="sidebar-count">
      {count}
      <span className="only-read"> open</span>
    </span>
  );
}

/** Shown when there is a choice. */
function WorkspaceFilter({
  workspace,
  onChange,
}: {
  workspace: string;
  onChange: (workspace: string) => void;
}) {
  const sessions = useSessionListState((state) => state.sessions);
  const workspaces = workspacesOf(sessions);
  if (workspaces.length < 2 && workspace === '') return null;
  return (
    <select
      aria-label="Folder of the shown sessions"
      value={workspace}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">All folders</option>
      {workspaces.map((path) => (
        <option key={path} value={path}>
          {folderName(path)} ({path})
        </option>
      ))}
    </select>
  );
}
