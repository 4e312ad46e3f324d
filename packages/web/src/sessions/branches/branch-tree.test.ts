import { describe, expect, it } from 'vitest';
import { type BranchNode, branchTree } from './branch-tree.ts';

const shape = ({ branch, state, isHead, branches }: BranchNode): unknown => [
  `${branch.first}-${branch.last} ${state}${isHead ? ' head' : ''}`,
  ...branches.map(shape),
];

describe('branchTree', () => {
  it('nests branches into those in which they begin', () => {
    const tree = {
      head: 14,
      branches: [
        { first: 1, last: 8, parent: 0, liveUntil: 4 },
        { first: 9, last: 12, parent: 4 },
        { first: 13, last: 14, parent: 4, liveUntil: 14 },
      ],
    };
    expect(branchTree(tree).map(shape)).toEqual([['1-8 part', ['9-12 left'], ['13-14 current head']]]);
  });

  it('nests a branch of a branch', () => {
    const tree = {
      head: 8,
      branches: [
        { first: 1, last: 4, parent: 0, liveUntil: 2 },
        { first: 5, last: 6, parent: 2, liveUntil: 5 },
        { first: 7, last: 8, parent: 5, liveUntil: 8 },
      ],
    };
    expect(branchTree(tree).map(shape)).toEqual([['1-4 part', ['5-6 part', ['7-8 current head']]]]);
  });

  it('keeps branches that begin a new conversation side by side', () => {
    const tree = {
      head: 4,
      branches: [
        { first: 1, last: 2, parent: 0 },
        { first: 3, last: 4, parent: 0, liveUntil: 4 },
      ],
    };
    expect(branchTree(tree).map(shape)).toEqual([['1-2 left'], ['3-4 current head']]);
  });

  it('is empty without messages', () => {
    expect(branchTree({ head: 0, branches: [] })).toEqual([]);
  });
});
