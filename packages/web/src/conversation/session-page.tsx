import './session-page.css';
import { lazy, Suspense } from 'react';
import { CompactionToasts } from '../context/compaction-toasts.tsx';
import { ContextMeter } from '../context/context-meter.tsx';
import { SessionContext, useOpenSession, useSessionState } from '../data/use-session.ts';
import { SessionHeader } from '../sessions/session-header.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { goTo, type Panel } from '../shell/route.ts';
import { MISSING_SESSION } from '../shell/unknown-page.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Conversation } from './conversation.tsx';
import { SessionComposer } from './session-composer.tsx';
import { SessionNotices } from './session-notices.tsx';
import { PANELS, SessionPanel, type SessionRoute } from './session-panel.tsx';

const ApprovalDialog = lazy(async () => ({
  default: (await import('../approvals/approval-dialog.tsx')).ApprovalDialog,
}));

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
  const hasApprovals = useSessionState(
    ({ approvals, detail }) => approvals.length > 0 && detail?.may !== 'see',
  );
  if (phase === 'missing' || phase === 'failed')
    return (
      <>
        <PageHeader title="Session" onOpenSide={onOpenSide} />
        <p role="alert" className="page-body">
          {phase === 'missing' ? MISSING_SESSION : problem}
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
        {route.panel !== undefined && <SessionPanel route={route} panel={route.panel} />}
      </div>
      <CompactionToasts />
      <SessionNotices />
      <Suspense>{hasApprovals && <ApprovalDialog />}</Suspense>
    </>
  );
}
