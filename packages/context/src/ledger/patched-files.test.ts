import { expect, test } from 'vitest';
import { patchedFiles } from './tool-facts.ts';

test('reads the files of a patch from the metadata of its result', () => {
  const part = {
    type: 'tool' as const,
    callId: 'c',
    name: 'apply_patch',
    input: {},
    state: 'completed' as const,
    metadata: {
      files: [
        { path: 'a', change: 'added' },
        { path: 'b', change: 'modified' },
        { path: 'c', change: 'deleted' },
        { path: 'd', change: 'renamed' },
        { path: 'f', change: 'other' },
      ],
    },
  };
  expect(patchedFiles(part)).toEqual([
    { path: 'a', action: 'created' },
    { path: 'b', action: 'modified' },
    { path: 'c', action: 'deleted' },
    { path: 'd', action: 'created' },
  ]);
  expect(patchedFiles({ ...part, state: 'error' })).toEqual([]);
});
