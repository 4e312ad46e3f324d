import { type Approval, alwaysWords, questionOf } from '@longhaul/protocol';
import { useId, useState } from 'react';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useNotify } from '../ui/toasts.tsx';
import { ApprovalSubject } from './approval-subject.tsx';
import { isNotFound } from './is-not-found.ts';
import { QuestionRequest } from './question-request.tsx';

interface RequestProps {
  approval: Approval;
  onAnswered: () => void;
}

/** One request of an agent, or a question of a server, with its answers. */
export function ApprovalRequest(props: RequestProps) {
  const question = questionOf(props.approval);
  return question === undefined ? (
    <CallRequest {...props} />
  ) : (
    <QuestionRequest {...props} question={question} />
  );
}

function CallRequest({ approval, onAnswered }: RequestProps) {
  const { client } = useServer();
  const notify = useNotify();
  const reasonId = useId();
  const [reason, setReason] = useState('');
  const [isAnswering, answer] = useAction(async (chosen: 'once' | 'always' | 'deny') => {
    const words = reason.trim();
    try {
      await client.approvals.answer(approval.sessionId, approval, {
        answer: chosen,
        ...(chosen === 'deny' && words !== '' && { reason: words }),
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      notify({ kind: 'plain', title: 'Somebody else has answered this request.' });
    }
    onAnswered();
  });
  return (
    <div className="approval">
      <ApprovalSubject approval={approval} />
      <label htmlFor={reasonId}>Reason, if you deny it (the agent reads it)</label>
      <input
        id={reasonId}
        className="approval-reason"
        maxLength={2_000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <p className="quiet">“Always” allows {alwaysWords(approval)} in this session without asking.</p>
      <div className="modal-buttons">
        <button type="button" className="button danger" disabled={isAnswering} onClick={() => answer('deny')}>
          Deny
        </button>
        <button type="button" className="button" disabled={isAnswering} onClick={() => answer('always')}>
          Always
        </button>
        <button
          type="button"
          className="button primary"
          disabled={isAnswering}
          onClick={() => answer('once')}
        >
          Once
        </button>
      </div>
    </div>
  );
}
