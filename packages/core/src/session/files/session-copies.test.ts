import type { Session } from '@longhaul/protocol';
import {
  answer,
  calls,
  createMemoryWorkspace,
  playedDriver,
  testRun,
  testTool,
  text,
} from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import { loadFilesState, saveFilesState } from './files-state.ts';

const LABELS = { ours: 'here', theirs: 'task m2' };
const COPY = 'child';

/** A session whose files `a` and `b` are recorded, and a copy of them. */
async function startCopy() {
  const workspace = createMemoryWorkspace({ a: 'a', b: 'b' });
  const tool = testTool('change', () => text('written'));
  const driver = playedDriver([calls({ name: 'change', input: {} }), answer('done')]);
  const test = await testRun(driver, [tool], { fileTrees: workspace.trees });
  await test.run('work');
  const session = (await test.store.getSession(test.sessionId)) as Session;
  const { copies } = test.runtime.files;
  const copy = await copies.make(session, COPY);
  const files = workspace.folders.get(copy.workspace) ?? new Map<string, string>();
  const merge = (call = 'call-1') => copies.merge(session, COPY, { call, labels: LABELS });
  return { workspace, test, session, copies, copy, files, merge };
}

const present = ({ files }: { files: ReadonlyMap<string, string> }) => Object.fromEntries([...files].sort());

describe('a copy of the workspace of a session', () => {
  it('has the present files, and begins with a recorded state', async () => {
    const { copies, copy, session, test, files, workspace } = await startCopy();
    expect(present({ files })).toEqual({ a: 'a', b: 'b' });
    expect(await loadFilesState(test.store, COPY)).toEqual({ tree: copy.tree, through: 0 });
    files.set('a', 'changed');
    expect(await copies.make(session, COPY)).toEqual(copy);
    expect(files.get('a')).toBe('changed');
    expect(present(workspace)).toEqual({ a: 'a', b: 'b' });
  });

  it('is made again with its recorded files on another machine, until it is discarded', async () => {
    const { workspace, test, copies, copy, files, merge } = await startCopy();
    files.set('a', 'changed');
    await using recorder = await workspace.trees.openRecorder(copy.workspace, copy.tree);
    const tree = (await recorder.record())?.after ?? '';
    await saveFilesState(test.store, COPY, { tree, through: 1 });
    files.set('b', 'not recorded');
    expect(await copies.settle(COPY)).toBeUndefined();
    // Another machine has no folder of it.
    await workspace.trees.copies.remove(COPY);
    expect(await copies.settle(COPY)).toEqual([]);
    expect(await copies.settle(COPY)).toBeUndefined();
    expect(await merge()).toMatchObject({ status: 'merged' });
    expect(present(workspace)).toEqual({ a: 'changed', b: 'b' });
    await copies.discard(COPY);
    expect(await copies.exists(COPY)).toBe(false);
  });

  it('describes its changes, within a limit', async () => {
    const { copies, files } = await startCopy();
    expect(await copies.changes(COPY, { maxChars: 500 })).toEqual({
      files: [],
      text: 'No file has changed.',
    });
    files.set('a', 'changed');
    files.set('new', 'new');
    const { text: shown, files: changed } = await copies.changes(COPY, { maxChars: 500 });
    expect(changed.map(({ path }) => path)).toEqual(['a', 'new']);
    expect(shown).toContain('2 files changed');
    expect(shown).toContain('modified a');
    const { text: short } = await copies.changes(COPY, { maxChars: 70 });
    expect(short.length).toBeLessThan(130);
    expect(short).toContain('does not fit');
  });

  it('is merged once for each call', async () => {
    const { workspace, files, merge } = await startCopy();
    files.set('a', 'changed');
    files.set('new', 'new');
    files.delete('b');
    const merged = await merge();
    expect(merged).toMatchObject({ status: 'merged', conflicts: [], skipped: [] });
    expect(merged.files.map(({ path }) => path)).toEqual(['a', 'b', 'new']);
    expect(present(workspace)).toEqual({ a: 'changed', new: 'new' });
    workspace.files.set('a', 'later');
    expect(await merge()).toEqual(merged);
    expect(present(workspace)).toEqual({ a: 'later', new: 'new' });
    expect(await merge('call-2')).toMatchObject({ status: 'refused', conflicts: [{ path: 'a' }] });
  });

  it('writes nothing if both changed the same file', async () => {
    const { workspace, files, merge } = await startCopy();
    files.set('a', 'there');
    files.set('b', 'there');
    workspace.files.set('a', 'here');
    expect(await merge()).toMatchObject({ status: 'refused', files: [], conflicts: [{ path: 'a' }] });
    expect(present(workspace)).toEqual({ a: 'here', b: 'b' });
    workspace.files.set('a', 'there');
    expect(await merge()).toMatchObject({ status: 'merged' });
    expect(present(workspace)).toEqual({ a: 'there', b: 'there' });
  });

  it('reports that there is nothing to merge, and that there is no copy any more', async () => {
    const { copies, merge } = await startCopy();
    expect(await merge()).toMatchObject({ status: 'unchanged' });
    await copies.discard(COPY);
    await expect(merge()).rejects.toMatchObject({ code: 'not_found' });
    await expect(copies.changes(COPY, { maxChars: 10 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leaves the files as they were if a merge fails', async () => {
    const { workspace, files, merge } = await startCopy();
    files.set('a', 'there');
    files.set('b', 'there');
    let hasFailed = false;
    workspace.onRestore = (path) => {
      if (path !== 'b' || hasFailed) return;
      hasFailed = true;
      throw new Error('disk full');
    };
    await expect(merge()).rejects.toThrow('disk full');
    expect(present(workspace)).toEqual({ a: 'a', b: 'b' });
    expect(await merge()).toMatchObject({ status: 'merged', skipped: [] });
    expect(present(workspace)).toEqual({ a: 'there', b: 'there' });
  });

  it('is merged to the end after a kill, without files that others have changed since', async () => {
    const { workspace, files, copies, merge } = await startCopy();
    for (const path of ['a', 'b', 'c']) files.set(path, 'there');
    let isKilled = false;
    workspace.onRestore = (path) => {
      // A killed process undoes nothing, so everything after it fails, too.
      isKilled ||= path === 'b';
      if (isKilled) throw new Error('killed');
    };
    await expect(merge()).rejects.toThrow('killed');
    expect(present(workspace)).toEqual({ a: 'there', b: 'b' });
    workspace.onRestore = undefined;
    workspace.files.set('c', 'by others');
    await copies.discard(COPY);
    const merged = await merge();
    expect(merged).toMatchObject({ status: 'merged', skipped: [{ path: 'c' }] });
    expect(present(workspace)).toEqual({ a: 'there', b: 'there', c: 'by others' });
    expect(await merge()).toEqual(merged);
  });
});
