import './approvals.css';
import { useStore } from 'zustand';
import { useServer } from '../data/server.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { ApprovalRequest } from './approval-request.tsx';
import { RequestPlace } from './request-place.tsx';

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
              <RequestPlace approval={approval} />
              <ApprovalRequest approval={approval} onAnswered={() => inbox.refresh()} />
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
