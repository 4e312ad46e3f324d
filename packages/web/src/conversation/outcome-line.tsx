import type { ErrorShape } from '@longhaul/protocol';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useSession, useSessionState } from '../data/use-session.ts';
import { GoneFolder } from '../sessions/gone-folder.tsx';

/** Why the newest run did not complete, and the way to continue it. */
export function OutcomeLine() {
  const { client } = useServer();
  const session = useSession();
  const isRunning = useSessionState((state) => state.isRunning);
  const outcome = useSessionState((state) => state.outcome);
  const isWaiting = useSessionState((state) => state.detail?.state === 'waiting');
  const isInterrupted = useSessionState((state) => state.detail?.state === 'interrupted');
  const [isResuming, resume] = useAction(async () => {
    await client.resume(session.id);
    session.refresh();
  });
  const folder = isRunning || isInterrupted ? undefined : goneFolderOf(outcome?.error);
  const words = isInterrupted ? INTERRUPTED : folder === undefined ? wordsOf(outcome) : NO_FOLDER;
  return (
    <>
      <div className="outcome-line" role="status">
        {!isRunning && !isWaiting && words !== undefined && (
          <>
            <span className={outcome?.status === 'failed' ? 'bad' : 'quiet'}>{words}</span>
            <button type="button" className="button small" disabled={isResuming} onClick={resume}>
              Resume
            </button>
          </>
        )}
      </div>
      {folder !== undefined && <GoneFolder folder={folder} />}
    </>
  );
}

/** The folder of the session, if the run failed because it is gone. The message of the error names shell commands. */
function goneFolderOf(error: ErrorShape | undefined): string | undefined {
  const { workspace, isGone } = error?.data ?? {};
  return isGone === true && typeof workspace === 'string' ? workspace : undefined;
}

const NO_FOLDER = 'The run failed: the folder of this session no longer exists.';
const INTERRUPTED = 'The process that worked on this session has ended.';

type Outcome = ReturnType<ReturnType<typeof useSession>['store']['getState']>['outcome'];

function wordsOf(outcome: Outcome): string | undefined {
  if (outcome === undefined || outcome.status === 'completed') return undefined;
  const reason = outcome.error === undefined ? '' : `: ${outcome.error.message}`;
  return `${STATUS[outcome.status]}${outcome.status === 'cancelled' ? '.' : reason}`;
}

const STATUS = {
  failed: 'The run failed',
  cancelled: 'Stopped',
  limit: 'Stopped at a limit',
  interrupted: 'Interrupted',
} as const;
