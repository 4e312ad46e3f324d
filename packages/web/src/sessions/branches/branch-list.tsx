import { useCallback, useState } from 'react';
import { useServer } from '../../data/server.ts';
import { useRead } from '../../data/use-read.ts';
import { useSession, useSessionState } from '../../data/use-session.ts';
import { formatRoute } from '../../shell/route.ts';
import { Modal } from '../../ui/modal.tsx';
import { type BranchNode, branchTree } from './branch-tree.ts';
import { GoToBranch } from './go-to-branch.tsx';

/** The branches that reverts have begun in this conversation. */
export function BranchList() {
  const { client } = useServer();
  const session = useSession();
  // A revert, and a message after it, change the branches.
  const newest = useSessionState(({ messages }) => messages.at(-1)?.id);
  const reverted = useSessionState(
    ({ messages }) => messages.filter((one) => one.visibility.isReverted).length,
  );
  const tree = useRead(
    // biome-ignore lint/correctness/useExhaustiveDependencies: these ask for another reading
    useCallback((signal) => client.tree(session.id, { signal }), [client, session, newest, reverted]),
  );
  const [target, setTarget] = useState<number>();
  if (tree.problem !== undefined) return <p className="bad">{tree.problem}</p>;
  if (tree.value === undefined) return <p className="quiet">Loading…</p>;
  const nodes = branchTree(tree.value);
  if (nodes.length === 0) return <p className="quiet">The session has no messages yet.</p>;
  return (
    <>
      <Branches nodes={nodes} onGo={setTarget} />
      {target !== undefined && (
        <Modal title={`Go to the end of the branch, m${target}`} isOpen onClose={() => setTarget(undefined)}>
          <GoToBranch last={target} onDone={() => setTarget(undefined)} />
        </Modal>
      )}
    </>
  );
}

const WORDS = { current: 'current', part: 'current at its beginning', left: 'left by a revert' };

function Branches({ nodes, onGo }: { nodes: readonly BranchNode[]; onGo: (last: number) => void }) {
  const session = useSession();
  return (
    <ul className="branches">
      {nodes.map(({ branch: { first, last }, state, isHead, branches }) => (
        <li key={first}>
          <div className="branch" data-shown={isHead || undefined}>
            <a
              href={formatRoute({
                page: 'session',
                sessionId: session.id,
                panel: 'tree',
                message: `m${first}`,
              })}
            >
              {first === last ? `m${first}` : `m${first}–m${last}`}
            </a>
            <span className="quiet">{isHead ? 'continues here' : WORDS[state]}</span>
            {!isHead && (
              <button
                type="button"
                className="button small"
                aria-label={`Go to the end of the branch, m${last}`}
                onClick={() => onGo(last)}
              >
                Go to
              </button>
            )}
          </div>
          {branches.length > 0 && <Branches nodes={branches} onGo={onGo} />}
        </li>
      ))}
    </ul>
  );
}
