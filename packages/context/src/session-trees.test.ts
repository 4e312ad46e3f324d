import type { RevertMark } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { type PlacedPatch, treeAfter, treeBefore, treesOf } from './session-trees.ts';

const patch = (
  place: [sequence: number, index: number],
  trees: [string?, string?],
  byAgent = true,
): PlacedPatch => ({
  sequence: place[0],
  index: place[1],
  part: {
    type: 'patch',
    ...(trees[0] === undefined ? {} : { before: trees[0] }),
    after: trees[1] ?? '',
    files: [],
    byAgent,
  },
});

const revert = (id: string, at: number, treeAfter?: string): RevertMark => ({
  kind: 'revert',
  id,
  at,
  to: 0,
  createdAt: 1,
  ...(treeAfter === undefined ? {} : { treeBefore: 'snapshot', treeAfter }),
});

const patches = [
  patch([2, 0], [undefined, 't0'], false),
  patch([2, 3], ['t0', 't1']),
  patch([4, 0], ['t1', 't2'], false),
  patch([4, 1], ['t2', 't3'], false),
  patch([4, 5], ['t3', 't4']),
  patch([4, 6], ['t4', 't5'], false),
];

it('returns the tree before the work of a message, with what others changed before its first tool', () => {
  const known = { patches, marks: [] };
  const before = [1, 2, 3, 4, 5, Number.POSITIVE_INFINITY].map((sequence) => treeBefore(sequence, known));
  expect(before).toEqual(['t0', 't0', 't1', 't3', 't5', 't5']);
  expect(treeBefore(3, { patches: [], marks: [] })).toBeUndefined();
});

it('returns the tree after a message, with what others changed before the next one', () => {
  const known = { patches, marks: [] };
  const after = [1, 2, 3, 4, 5, Number.POSITIVE_INFINITY].map((sequence) => treeAfter(sequence, known));
  expect(after).toEqual(['t0', 't1', 't1', 't5', 't5', 't5']);
  expect(treeAfter(3, { patches: [], marks: [] })).toBeUndefined();
});

it('follows the files through reverts in the order of the log, whichever branch the conversation is on', () => {
  const marks = [revert('r1', 4, 't1'), revert('r2', 6), revert('r3', 6, 't2')];
  const later = [...patches, patch([6, 1], ['t1', 't6'])];
  const before = [4, 5, 6, 7].map((sequence) => treeBefore(sequence, { patches: later, marks }));
  expect(before).toEqual(['t3', 't1', 't1', 't2']);
  const after = [4, 5, 6, 7, Number.POSITIVE_INFINITY].map((sequence) =>
    treeAfter(sequence, { patches: later, marks }),
  );
  expect(after).toEqual(['t5', 't1', 't6', 't2', 't2']);
  expect([...treesOf({ patches: later, marks })].toSorted()).toEqual([
    'snapshot',
    't0',
    't1',
    't2',
    't3',
    't4',
    't5',
    't6',
  ]);
});

it('begins again with the first record of a copy that lacks the revert of a snapshot', () => {
  const snapshot = patch([4, 7], ['t5', 'edited'], false);
  const atRevert: PlacedPatch = { ...snapshot, part: { ...snapshot.part, atRevert: true } };
  const copy = { patches: [...patches, atRevert, patch([6, 1], [undefined, 'copied'], false)], marks: [] };
  expect([4, 5, 6, 7].map((sequence) => treeBefore(sequence, copy))).toEqual([
    't3',
    'copied',
    'copied',
    'copied',
  ]);
});

it('counts a patch after a revert as newer than the revert of the same message', () => {
  const edited = [...patches, patch([4, 8], ['t1', 'edited'], false)];
  const marks = [{ ...revert('r1', 4, 't1'), parts: 7 }];
  expect(treeBefore(5, { patches: edited, marks })).toBe('edited');
  expect(treeBefore(5, { patches, marks })).toBe('t1');
});
