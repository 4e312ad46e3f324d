import './branches/branches.css';
import { useSession, useSessionState } from '../data/use-session.ts';
import { BranchList } from './branches/branch-list.tsx';
import { ForkList } from './branches/fork-list.tsx';
import { useSessionActions } from './session-actions.ts';

/** The branches of the conversation, which reverts begin, and the forks of the session. Any can be gone to. */
export function TreePanel() {
  const session = useSession();
  const detail = useSessionState((state) => state.detail);
  const actions = useSessionActions();
  return (
    <>
      <h2>Branches of this conversation</h2>
      <BranchList />
      <h2>Forks</h2>
      <ForkList />
      <button
        type="button"
        className="button"
        onClick={() => void actions.fork(detail ?? { id: session.id, title: '', task: '' })}
      >
        Fork at the newest message
      </button>
    </>
  );
}
