import type { ResponseOf } from '@longhaul/protocol/api';

type Branch = ResponseOf<'getTree'>['branches'][number];

/** A branch of the conversation, and the branches that begin in it. */
export interface BranchNode {
  branch: Branch;
  /** `current`: the conversation contains all of it. `left`: nothing of it. `part`: only its beginning. */
  state: 'current' | 'part' | 'left';
  /** The conversation continues after its last message. */
  isHead: boolean;
  branches: readonly BranchNode[];
}

/** Nests branches into those that they begin in. */
export function branchTree({
  branches,
  head,
}: Pick<ResponseOf<'getTree'>, 'branches' | 'head'>): readonly BranchNode[] {
  const nodeOf = (branch: Branch): BranchNode => ({
    branch,
    state: branch.liveUntil === undefined ? 'left' : branch.liveUntil === branch.last ? 'current' : 'part',
    isHead: head === branch.last,
    branches: branches.filter((other) => other !== branch && beginsIn(other, branch)).map(nodeOf),
  });
  return branches
    .filter((branch) => !branches.some((other) => other !== branch && beginsIn(branch, other)))
    .map(nodeOf);
}

/** A branch begins after its parent, which is older. */
function beginsIn({ parent, first }: Branch, other: Branch): boolean {
  return other.first < first && other.first <= parent && parent <= other.last;
}
