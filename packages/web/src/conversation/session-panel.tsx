import { FileDiff, Gauge, GitBranch, X } from 'lucide-react';
import { lazy, type MouseEvent, Suspense } from 'react';
import { goTo, type Panel, parseRoute, type Route } from '../shell/route.ts';
import { IconButton } from '../ui/icon-button.tsx';

const ContextPanel = lazy(async () => ({
  default: (await import('../context/context-panel.tsx')).ContextPanel,
}));
const FilesPanel = lazy(async () => ({ default: (await import('../files/files-panel.tsx')).FilesPanel }));
const TreePanel = lazy(async () => ({ default: (await import('../sessions/tree-panel.tsx')).TreePanel }));

export type SessionRoute = Extract<Route, { page: 'session' }>;

export const PANELS = [
  { panel: 'context', label: 'Context', icon: Gauge },
  { panel: 'files', label: 'Changed files', icon: FileDiff },
  { panel: 'tree', label: 'Branches', icon: GitBranch },
] as const;

/** The width at which a panel covers the conversation. The same as in session-page.css. */
const NARROW = '(max-width: 50rem)';

/** What is shown beside the conversation, or over it on a narrow screen. */
export function SessionPanel({ route, panel }: { route: SessionRoute; panel: Panel }) {
  const close = () => {
    const { panel: _, ...rest } = route;
    goTo(rest);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click, too
    <aside
      className="session-panel"
      aria-label={PANELS.find((one) => one.panel === panel)?.label}
      onClick={showMessage}
    >
      <IconButton icon={X} label="Close the panel" className="session-panel-close" onClick={close} />
      <Suspense fallback={<p className="quiet">Loading…</p>}>
        {panel === 'context' && <ContextPanel />}
        {panel === 'files' && <FilesPanel key={route.message} message={route.message} />}
        {panel === 'tree' && <TreePanel />}
      </Suspense>
    </aside>
  );
}

/** A link to a message closes a panel that covers the message. */
function showMessage(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const route = parseRoute(link?.hash ?? '');
  if (route.page !== 'session' || route.message === undefined || !matchMedia(NARROW).matches) return;
  event.preventDefault();
  const { panel: _, ...message } = route;
  goTo(message);
}
