import './shell.css';
import { lazy, Suspense, useEffect, useState } from 'react';
import { SessionPage } from '../conversation/session-page.tsx';
import { Sidebar } from '../sessions/sidebar.tsx';
import { Home } from './home.tsx';
import { formatRoute, type Route, useRoute } from './route.ts';

const Settings = lazy(async () => ({
  default: (await import('../settings/settings-page.tsx')).SettingsPage,
}));
const Replay = lazy(async () => ({ default: (await import('../replay/replay-page.tsx')).ReplayPage }));
const Inbox = lazy(async () => ({ default: (await import('../approvals/inbox-page.tsx')).InboxPage }));

/** The frame of the page: the sessions at the side, and what the address names. */
export function Shell() {
  const route = useRoute();
  const [isSideOpen, setSideOpen] = useState(false);
  // A chosen session covers the list on a narrow screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is the event
  useEffect(() => setSideOpen(false), [formatRoute(route)]);
  const openSide = () => setSideOpen(true);
  return (
    <div className="shell" data-side={isSideOpen ? 'open' : 'closed'}>
      <button
        type="button"
        className="skip-link button"
        onClick={() => document.getElementById('main')?.focus()}
      >
        Skip to the conversation
      </button>
      <Sidebar />
      <button
        type="button"
        className="side-shade"
        aria-label="Close the list of sessions"
        onClick={() => setSideOpen(false)}
      />
      <main id="main" className="shell-main" tabIndex={-1}>
        <Suspense fallback={<p className="quiet shell-wait">Loading…</p>}>
          <Shown route={route} onOpenSide={openSide} />
        </Suspense>
      </main>
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
    case 'home':
      return <Home onOpenSide={onOpenSide} />;
  }
}
