import './shell.css';
import { lazy, Suspense, useEffect, useState } from 'react';
import { SessionPage } from '../conversation/session-page.tsx';
import { useServer } from '../data/server.ts';
import { Commands } from '../palette/commands.tsx';
import { DropImport } from '../sessions/import/drop-import.tsx';
import { ImportReport } from '../sessions/import/import-report.tsx';
import { Imports } from '../sessions/import/imports.ts';
import { ImportsContext } from '../sessions/import/use-imports.ts';
import { SessionList } from '../sessions/session-list.ts';
import { Sidebar } from '../sessions/sidebar.tsx';
import { SessionListContext } from '../sessions/use-session-list.ts';
import { FailureGuard } from '../ui/failure-guard.tsx';
import { ConnectionLine } from './connection-line.tsx';
import { Home } from './home.tsx';
import { formatRoute, type Route, useRoute } from './route.ts';
import { UnknownPage } from './unknown-page.tsx';
import { useDrawer } from './use-drawer.ts';

const Settings = lazy(async () => ({
  default: (await import('../settings/settings-page.tsx')).SettingsPage,
}));
const Replay = lazy(async () => ({ default: (await import('../replay/replay-page.tsx')).ReplayPage }));
const Inbox = lazy(async () => ({ default: (await import('../approvals/inbox-page.tsx')).InboxPage }));

/** The page: what all its parts share, and its frame. */
export function Shell() {
  const server = useServer();
  const [list] = useState(() => new SessionList(server.client));
  const [imports] = useState(() => new Imports(server.client, () => list.refresh()));
  useEffect(() => list.follow(server), [list, server]);
  useEffect(() => server.inbox.follow(server), [server]);
  return (
    <SessionListContext value={list}>
      <ImportsContext value={imports}>
        <Frame />
        <Commands />
        <DropImport />
        <ImportReport />
      </ImportsContext>
    </SessionListContext>
  );
}

/** The sessions at the side, and what the address names. */
function Frame() {
  const route = useRoute();
  const drawer = useDrawer('sidebar');
  // A chosen session covers the list on a narrow screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is the event
  useEffect(() => drawer.close(), [formatRoute(route)]);
  return (
    <div className="shell" data-side={drawer.isOpen ? 'open' : 'closed'}>
      <button
        type="button"
        className="skip-link button"
        inert={drawer.isOpen}
        onClick={() => document.getElementById('main')?.focus()}
      >
        Skip to the content
      </button>
      <Sidebar />
      <button
        type="button"
        className="side-shade"
        aria-label="Close the list of sessions"
        onClick={drawer.close}
      />
      <main id="main" className="shell-main" tabIndex={-1} inert={drawer.isOpen}>
        <ConnectionLine />
        <Suspense fallback={<p className="quiet shell-wait">Loading…</p>}>
          <FailureGuard key={keyOf(route)} fallback={<Failed />}>
            <Shown route={route} onOpenSide={drawer.open} />
          </FailureGuard>
        </Suspense>
      </main>
    </div>
  );
}

/** A page that has failed is tried again when another address is opened. */
function keyOf(route: Route): string {
  return route.page === 'session' ? `session ${route.sessionId}` : route.page;
}

function Failed() {
  return (
    <div className="page-body" role="alert">
      <p>This part of the page failed. Nothing on the server has changed.</p>
      <button type="button" className="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  );
}

function Shown({ route, onOpenSide }: { route: Route; onOpenSide: () => void }) {
  switch (route.page) {
    case 'session':
      return <SessionPage key={route.sessionId} route={route} onOpenSide={onOpenSide} />;
    case 'settings':
      return <Settings onOpenSide={onOpenSide} />;
    case 'replay':
      return <Replay onOpenSide={onOpenSide} />;
    case 'inbox':
      return <Inbox onOpenSide={onOpenSide} />;
    case 'unknown':
      return <UnknownPage named={route.named} onOpenSide={onOpenSide} />;
    case 'home':
      return <Home onOpenSide={onOpenSide} />;
  }
}
