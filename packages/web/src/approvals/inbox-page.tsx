import './approvals.css';
import { useStore } from 'zustand';
import { useServer } from '../data/server.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { formatRoute } from '../shell/route.ts';
import { formatTime } from '../ui/format.ts';
import { ApprovalRequest } from './approval-request.tsx';

/** The open requests of all sessions. */
export function InboxPage({ onOpenSide }: { onOpenSide: () => void }) {
  const { inbox } = useServer();
  const { approvals, isLoaded, problem } = useStore(inbox.store);
  return (
    <>
      <PageHeader title="Approvals" onOpenSide={onOpenSide} />
      <div className="page-body">
        {problem !== undefined && (
          <p role="alert" className="bad">
            {problem}
          </p>
        )}
        {approvals.length === 0 && problem === undefined && (
          <p className="quiet">{isLoaded ? 'No agent waits for an approval.' : 'Loading…'}</p>
        )}
        <ul className="inbox">
          {approvals.map((approval) => (
            <li key={`${approval.sessionId} ${approval.handle}`} className="card">
              <p className="quiet">
                <a
                  href={formatRoute({
                    page: 'session',
                    sessionId: approval.sessionId,
                    message: approval.handle,
                  })}
                >
                  {approval.title}
                </a>{' '}
                · {formatTime(approval.requestedAt)}
              </p>
              <ApprovalRequest approval={approval} onAnswered={() => inbox.refresh()} />
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
