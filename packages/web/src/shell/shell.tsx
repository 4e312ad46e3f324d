import './shell.css';
import { lazy, Suspense, useState } from 'react';
import { SessionPage } from '../conversation/session-page.tsx';
import { Sidebar } from '../sessions/sidebar.tsx';
import { Home } from './home.tsx';
import { type Route, useRoute } from './route.ts';

const Settings = lazy(async () => ({ default: (await import('../settings/settings-page.tsx')).SettingsPage }));
const Replay = lazy(async () => ({ default: (await import('../replay/replay-page.tsx')).ReplayPage }));
const Inbox = lazy(async () => ({ default: (await import('../approvals/inbox-page.tsx')).InboxPage }));

/** The frame of the page: the sessions at the side, and what the address names. */
export function Shell() {
  const route = useRoute();
  const [isSideOpen, setSideOpen] = useState(false);
  const openSide = () => setSideOpen(true);
  return (
    <div className="shell" data-side={isSideOpen ? 'open' : 'closed'}>
      <a className="skip-link" href="#main" onClick={focusMain}>
        Skip to the conversation
      </a>
      <Sidebar onChoose={() => setSideOpen(false)} />
      <button type="button" className="side-shade" aria-label="Close the list of sessions" onClick={() => setSideOpen(false)} />
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

/** The address after `#` is the route, so the link must not change it. */
function focusMain(event: { preventDefault: () => void }) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
