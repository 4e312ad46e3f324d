import { useCallback, useEffect, useState } from 'react';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useRead } from '../data/use-read.ts';
import { useSession } from '../data/use-session.ts';
import { Modal } from '../ui/modal.tsx';
import { useNotify } from '../ui/toasts.tsx';
import { type Others, OthersChoice } from './others-choice.tsx';
import { unrevertNotice } from './unrevert-notice.ts';

/** Takes the newest revert back, if there is one. Asks first if somebody else has changed its files. */
export function UnrevertButton() {
  const { client } = useServer();
  const session = useSession();
  const notify = useNotify();
  const isPossible = useCanUnrevert();
  const [conflicts, setConflicts] = useState<readonly string[]>();
  const [isRunning, unrevert] = useAction(async (others?: Others) => {
    const result = await client.unrevert(session.id, others === undefined ? {} : { [others]: true });
    session.refreshMessages();
    if (result.status === 'blocked') return setConflicts(result.conflicts);
    setConflicts(undefined);
    notify(unrevertNotice(result));
  });
  return (
    <>
      <button type="button" className="button" disabled={isRunning || !isPossible} onClick={() => unrevert()}>
        Undo the newest revert
      </button>
      {conflicts !== undefined && (
        <BlockedDialog
          conflicts={conflicts}
          isRunning={isRunning}
          onUnrevert={unrevert}
          onClose={() => setConflicts(undefined)}
        />
      )}
    </>
  );
}

/** Whether there is a revert to take back, also one of another tab or program. */
function useCanUnrevert(): boolean {
  const { client } = useServer();
  const session = useSession();
  const { value, problem, again } = useRead(
    useCallback((signal) => client.tree(session.id, { signal }), [client, session]),
  );
  useEffect(
    () =>
      session.onEvent(({ type }) => {
        if (type === 'session:reverted' || type === 'session:unreverted') again();
      }),
    [session, again],
  );
  return value?.canUnrevert ?? problem !== undefined;
}

interface BlockedDialogProps {
  conflicts: readonly string[];
  isRunning: boolean;
  onUnrevert: (others: Others) => void;
  onClose: () => void;
}

function BlockedDialog({ conflicts, isRunning, onUnrevert, onClose }: BlockedDialogProps) {
  const [others, setOthers] = useState<Others>('keep');
  return (
    <Modal title="Undo the newest revert" isOpen onClose={onClose}>
      <p>Nothing was done yet. Overwritten files cannot be brought back: this step has no undo.</p>
      <OthersChoice conflicts={conflicts} value={others} onChange={setOthers} />
      <div className="modal-buttons">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="button danger"
          disabled={isRunning}
          onClick={() => onUnrevert(others)}
        >
          Undo the revert
        </button>
      </div>
    </Modal>
  );
}
