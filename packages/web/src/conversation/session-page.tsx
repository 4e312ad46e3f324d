import './session-page.css';
import { FileDiff, Gauge, GitBranch } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { CompactionToasts } from '../context/compaction-toasts.tsx';
import { ContextMeter } from '../context/context-meter.tsx';
import { SessionContext, useOpenSession, useSessionState } from '../data/use-session.ts';
import { SessionHeader } from '../sessions/session-header.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { goTo, type Panel, type Route } from '../shell/route.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Conversation } from './conversation.tsx';
import { SessionComposer } from './session-composer.tsx';
import { SessionNotices } from './session-notices.tsx';

const ContextPanel = lazy(async () => ({
  default: (await import('../context/context-panel.tsx')).ContextPanel,
}));
const FilesPanel = lazy(async () => ({ default: (await import('../files/files-panel.tsx')).FilesPanel }));
const TreePanel = lazy(async () => ({ default: (await import('../sessions/tree-panel.tsx')).TreePanel }));
const ApprovalDialog = lazy(async () => ({
  default: (await import('../approvals/approval-dialog.tsx')).ApprovalDialog,
}));

type SessionRoute = Extract<Route, { page: 'session' }>;

/** One session: its conversation, and a panel beside it. */
export function SessionPage({ route, onOpenSide }: { route: SessionRoute; onOpenSide: () => void }) {
  const session = useOpenSession(route.sessionId);
  if (session === undefined) return null;
  return (
    <SessionContext value={session}>
      <SessionFrame route={route} onOpenSide={onOpenSide} />
    </SessionContext>
  );
}

function SessionFrame({ route, onOpenSide }: { route: SessionRoute; onOpenSide: () => void }) {
  const phase = useSessionState((state) => state.phase);
  const problem = useSessionState((state) => state.problem);
  const hasApprovals = useSessionState((state) => state.approvals.length > 0);
  if (phase === 'missing' || phase === 'failed')
    return (
      <>
        <PageHeader title="Session" onOpenSide={onOpenSide} />
        <p role="alert" className="page-body">
          {phase === 'missing' ? 'This session does not exist, or was deleted.' : problem}
        </p>
      </>
    );
  const toggle = (panel: Panel) => {
    const { message: _, panel: shown, ...rest } = route;
    goTo(shown === panel ? rest : { ...rest, panel });
  };
  return (
    <>
      <PageHeader title={<SessionHeader />} onOpenSide={onOpenSide}>
        <ContextMeter onOpen={() => toggle('context')} />
        {PANELS.map(({ panel, label, icon }) => (
          <IconButton
            key={panel}
            icon={icon}
            label={label}
            aria-pressed={route.panel === panel}
            onClick={() => toggle(panel)}
          />
        ))}
      </PageHeader>
      <div className="session-body">
        <section className="session-conversation" aria-label="Conversation">
          <Conversation message={route.message} />
          <SessionComposer />
        </section>
        {route.panel !== undefined && (
          <aside
            className="session-panel"
            aria-label={PANELS.find(({ panel }) => panel === route.panel)?.label}
          >
            <Suspense fallback={<p className="quiet">Loading…</p>}>
              {route.panel === 'context' && <ContextPanel />}
              {route.panel === 'files' && <FilesPanel />}
              {route.panel === 'tree' && <TreePanel />}
            </Suspense>
          </aside>
        )}
      </div>
      <CompactionToasts />
      <SessionNotices />
      <Suspense>{hasApprovals && <ApprovalDialog />}</Suspense>
    </>
  );
}

const PANELS = [
  { panel: 'context', label: 'Context', icon: Gauge },
  { panel: 'files', label: 'Changed files', icon: FileDiff },
  { panel: 'tree', label: 'Branches', icon: GitBranch },
] as const;
