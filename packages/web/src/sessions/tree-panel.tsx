import './branches/branches.css';
import { BranchList } from './branches/branch-list.tsx';
import { ForkForm } from './branches/fork-form.tsx';
import { ForkList } from './branches/fork-list.tsx';

/** The branches of the conversation, which reverts begin, and the forks of the session. Any can be gone to. */
export function TreePanel() {
  return (
    <>
      <h2>Branches of this conversation</h2>
      <BranchList />
      <h2>Forks</h2>
      <ForkList />
      <ForkForm />
    </>
  );
}
