import './approvals.css';
import { useState } from 'react';
import { useSession, useSessionState } from '../data/use-session.ts';
import { Modal } from '../ui/modal.tsx';
import { ApprovalRequest } from './approval-request.tsx';

/**
 * Shows the oldest open request of the session in a dialog. A request that was put off is shown again by the button
 * above the composer, and stays in the inbox.
 */
export function ApprovalDialog() {
  const session = useSession();
  const listed = useSessionState((state) => state.approvals);
  /** Answered here. They are in the list until it is read again. */
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const approvals = listed.filter(({ handle }) => !answered.has(handle));
  const [putOff, setPutOff] = useState<ReadonlySet<string>>(new Set());
  const shown = approvals.find(({ handle }) => !putOff.has(handle));
  if (approvals.length === 0) return null;
  if (shown === undefined)
    return (
      <button type="button" className="button primary approval-waiting" onClick={() => setPutOff(new Set())}>
        {approvals.length === 1 ? 'The agent waits for your approval' : `${approvals.length} approvals wait`}
      </button>
    );
  return (
    <Modal
      title="Approve this?"
      isOpen
      onClose={() => setPutOff(new Set(putOff).add(shown.handle))}
      size="wide"
    >
      {approvals.length > 1 && <p className="quiet">{approvals.length - 1} more requests wait.</p>}
      <ApprovalRequest
        key={shown.handle}
        approval={shown}
        onAnswered={() => {
          setAnswered(new Set(answered).add(shown.handle));
          session.refresh();
        }}
      />
    </Modal>
  );
}
