import { LonghaulError } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage/memory';
import {
  answer,
  calls,
  createMemoryWorkspace,
  type MemoryWorkspace,
  type PlayedStep,
  playedDriver,
  type TestRun,
  testRun,
  testTool,
  text,
} from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../ports/index.ts';
import type { RevertOptions, RevertResult } from './revert-options.ts';

const change = (path: string, content: string) => calls({ name: 'change', input: { path, content } });

async function startSession(
  workspace: MemoryWorkspace,
  steps: PlayedStep[],
  store: Store = createMemoryStore(),
) {
  const driver = playedDriver(steps);
  const tool = testTool('change', ({ path, content }) => {
    if (content === '') workspace.files.delete(String(path));
    else workspace.files.set(String(path), String(content));
    return text('written');
  });
  const test = await testRun(driver, [tool], { store, fileTrees: workspace.trees });
  return { test, driver, files: test.runtime.files };
}

const present = ({ files }: MemoryWorkspace) => Object.fromEntries([...files].sort());

/** The texts that the model gets next. */
async function shownTexts(test: TestRun, { requests }: ReturnType<typeof playedDriver>, content: string) {
  await test.run(content);
  return JSON.stringify(requests.at(-1)?.messages);
}

describe('revert', () => {
  it('restores the files and the conversation before a message', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const { test, driver, files } = await startSession(workspace, [
      change('a', '2'),
      answer('First done.'),
      change('b', '1'),
      change('a', ''),
      answer('Second done.'),
      answer('Third done.'),
    ]);
    await test.run('first');
    await test.run('second');
    expect(present(workspace)).toEqual({ b: '1' });

    expect(await files.revert(test.sessionId, 'm4')).toMatchObject({
      status: 'reverted',
      handle: 'm4',
      conversation: true,
      hides: 4,
      files: [
        { path: 'a', change: 'added' },
        { path: 'b', change: 'deleted' },
      ],
      conflicts: [],
      skipped: [],
    });
    expect(present(workspace)).toEqual({ a: '2' });
    expect(test.of('session:reverted')).toMatchObject([{ handle: 'm4', files: 2, conversation: true }]);

    const shown = await shownTexts(test, driver, 'third');
    expect(shown).toContain('First done.');
    expect(shown).toContain('third');
    expect(shown).not.toContain('second');
    expect(shown).not.toContain('Second done.');
    expect(await test.messages()).toHaveLength(9);
  });

  it('restores only the files, or only the conversation', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const steps = [change('a', '2'), answer('Done.'), answer('Next.')];
    const { test, driver, files } = await startSession(workspace, steps);
    await test.run('go');
    expect(await files.revert(test.sessionId, 'm1', { only: 'files' })).toMatchObject({
      conversation: false,
      hides: 0,
    });
    expect(present(workspace)).toEqual({ a: '1' });
    expect(await shownTexts(test, driver, 'more')).toContain('Done.');

    workspace.files.set('a', '3');
    expect(await files.revert(test.sessionId, 'm4', { only: 'conversation' })).toMatchObject({
      conversation: true,
      files: [],
    });
    expect(present(workspace)).toEqual({ a: '3' });
  });

  it('changes nothing with preview', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const { test, files } = await startSession(workspace, [change('a', '2'), answer('Done.')]);
    await test.run('go');
    expect(await files.revert(test.sessionId, 'm1', { preview: true })).toMatchObject({
      status: 'preview',
      files: [{ path: 'a', change: 'modified' }],
    });
    expect(present(workspace)).toEqual({ a: '2' });
    expect((await test.store.readMarks(test.sessionId)).marks).toEqual([]);
  });

  it('shows with preview what all turns and other people changed since', async () => {
    const workspace = createMemoryWorkspace({ a: '1', mine: '1' });
    const { test, files } = await startSession(workspace, [
      change('a', '2'),
      answer('First.'),
      change('b', '1'),
      answer('Second.'),
    ]);
    await test.run('first');
    await test.run('second');
    workspace.files.set('mine', 'edited');
    const diffOf = async (options: RevertOptions) => {
      const preview = await files.revert(test.sessionId, 'm1', { ...options, preview: true });
      return await Array.fromAsync(files.revertDiff(preview, options));
    };
    expect(await diffOf({})).toEqual(['modified a\n', 'deleted b\n', 'modified mine\n']);
    expect(await diffOf({ keep: true })).toEqual(['modified a\n', 'deleted b\n']);
    expect(await diffOf({ only: 'conversation' })).toEqual([]);
  });

  it('lets a run continue with preview, and records nothing', async () => {
    const workspace = createMemoryWorkspace({ a: '1', mine: '1' });
    let whileRunning: (() => Promise<void>) | undefined;
    const { test, files } = await startSession(workspace, [
      change('a', '2'),
      answer('First.'),
      async function* () {
        await whileRunning?.();
        yield* answer('Second.');
      },
    ]);
    await test.run('go');
    let preview: RevertResult | undefined;
    whileRunning = async () => {
      const before = await test.store.listPatches(test.sessionId);
      workspace.files.set('mine', 'edited');
      preview = await files.revert(test.sessionId, 'm1', { preview: true });
      expect(await test.store.listPatches(test.sessionId)).toEqual(before);
    };

    expect(await test.run('more')).toMatchObject({ status: 'completed' });
    expect(preview).toMatchObject({ status: 'preview', files: [{ path: 'a' }, {}], conflicts: ['mine'] });
    expect(present(workspace)).toEqual({ a: '2', mine: 'edited' });
  });

  it('lists files that somebody else changed, and restores them only with force', async () => {
    const workspace = createMemoryWorkspace({ a: '1', mine: '1' });
    const { test, files } = await startSession(workspace, [change('a', '2'), answer('Done.')]);
    await test.run('go');
    workspace.files.set('mine', 'edited');
    workspace.files.set('a', 'edited by hand');
    expect(await files.revert(test.sessionId, 'm1')).toMatchObject({
      status: 'blocked',
      conflicts: ['a', 'mine'],
    });
    expect(present(workspace)).toEqual({ a: 'edited by hand', mine: 'edited' });
    expect(await files.revert(test.sessionId, 'm1', { force: true })).toMatchObject({ status: 'reverted' });
    expect(present(workspace)).toEqual({ a: '1', mine: '1' });
    await files.unrevert(test.sessionId, { force: true });
    expect(present(workspace)).toEqual({ a: 'edited by hand', mine: 'edited' });
  });

  it('keeps files that somebody else changed, and restores the others', async () => {
    const workspace = createMemoryWorkspace({ a: '1', b: '1', mine: '1' });
    const steps = [change('a', '2'), change('b', '2'), answer('Done.')];
    const { test, files } = await startSession(workspace, steps);
    await test.run('go');
    workspace.files.set('mine', 'edited');
    workspace.files.set('a', 'edited by hand');
    expect(await files.revert(test.sessionId, 'm1', { keep: true, preview: true })).toMatchObject({
      status: 'preview',
      files: [{ path: 'b' }],
      conflicts: ['a', 'mine'],
    });
    expect(await files.revert(test.sessionId, 'm1', { keep: true })).toMatchObject({
      status: 'reverted',
      files: [{ path: 'b' }],
      conflicts: ['a', 'mine'],
    });
    expect(present(workspace)).toEqual({ a: 'edited by hand', b: '1', mine: 'edited' });
    await files.unrevert(test.sessionId);
    expect(present(workspace)).toEqual({ a: 'edited by hand', b: '2', mine: 'edited' });
    await expect(files.revert(test.sessionId, 'm1', { keep: true, force: true })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('lists what somebody else changed after the last message, even if that is the message to revert to', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const { test, files } = await startSession(workspace, [change('a', '2'), answer('Done.')]);
    await test.run('go');
    workspace.files.set('a', 'edited by hand');
    for (let time = 0; time < 2; time += 1)
      expect(await files.revert(test.sessionId, 'm3')).toMatchObject({ status: 'blocked', conflicts: ['a'] });
  });

  it('counts what somebody else changed since an earlier revert as before the next message', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const steps = [change('a', '2'), answer('Done.'), change('b', '1'), answer('Next.')];
    const { test, files } = await startSession(workspace, steps);
    await test.run('go');
    await files.revert(test.sessionId, 'm1');
    workspace.files.set('a', 'edited by hand');
    expect(await files.unrevert(test.sessionId)).toMatchObject({ status: 'blocked' });
    await test.run('go on');
    expect(await files.revert(test.sessionId, 'm4')).toMatchObject({ status: 'reverted' });
    expect(present(workspace)).toEqual({ a: 'edited by hand' });
  });

  it('counts what was not recorded after a step as the agent’s', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const { test, files } = await startSession(workspace, [
      change('a', '2'),
      async function* () {
        workspace.failWith(new LonghaulError('store_full', 'full'));
        yield* change('b', '1');
      },
      answer('Done.'),
    ]);
    await test.run('go');
    workspace.failWith(undefined);
    expect(await files.revert(test.sessionId, 'm3')).toMatchObject({
      status: 'reverted',
      files: [{ path: 'b', change: 'deleted' }],
      conflicts: [],
    });
    expect(present(workspace)).toEqual({ a: '2' });
  });

  it('lists files that another session in the same folder changed in the meantime', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const store = createMemoryStore();
    const second = await startSession(workspace, [change('theirs', '1'), answer('Done.')], store);
    const first = await startSession(
      workspace,
      [
        async function* () {
          yield* change('ours', '1');
        },
        answer('Done.'),
      ],
      store,
    );
    workspace.onRecord = async () => {
      // The other session works while a tool of this one runs.
      if (!workspace.files.has('ours') || workspace.files.has('theirs')) return;
      workspace.onRecord = undefined;
      await second.test.run('go');
    };
    await first.test.run('go');
    expect(await first.files.revert(first.test.sessionId, 'm2')).toMatchObject({ status: 'blocked' });
    expect(present(workspace)).toEqual({ a: '1', ours: '1', theirs: '1' });
  });

  it('explains a wrong handle, and a session without recorded files', async () => {
    const { test, files } = await startSession(createMemoryWorkspace(), [answer('Hello.')]);
    await test.run('hi');
    await expect(files.revert(test.sessionId, 'm9')).rejects.toMatchObject({ code: 'not_found' });
    await expect(files.revert(test.sessionId, 'last')).rejects.toThrow('Expected a handle such as m12');
    await expect(files.revert(test.sessionId, 'm1', { only: 'files' })).rejects.toThrow(
      'No files were recorded',
    );
    expect(await files.revert(test.sessionId, 'm1')).toMatchObject({ status: 'reverted', files: [] });
  });

  it('continues after the last message of a branch that was left', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const steps = [change('a', 'old branch'), answer('Old.'), change('a', 'new branch'), answer('New.')];
    const { test, driver, files } = await startSession(workspace, [...steps, answer('!')]);
    await test.run('go');
    await files.revert(test.sessionId, 'm1');
    await test.run('go elsewhere');
    expect(await files.revert(test.sessionId, 'm3', { after: true })).toMatchObject({
      status: 'reverted',
      handle: 'm3',
      hides: 3,
      files: [{ path: 'a', change: 'modified' }],
    });
    expect(present(workspace)).toEqual({ a: 'old branch' });
    expect(await files.tree(test.sessionId)).toMatchObject({ head: 3 });
    expect(await files.revert(test.sessionId, 'm3', { after: true })).toMatchObject({ status: 'unchanged' });
    await files.revert(test.sessionId, 'm6', { after: true });
    expect(present(workspace)).toEqual({ a: 'new branch' });
    const shown = await shownTexts(test, driver, 'and now');
    expect(shown).toContain('New.');
    expect(shown).not.toContain('Old.');
  });
});

describe('the summary of a session', () => {
  it('is that of the conversation that a revert leaves, and the former one again after an unrevert', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const { test, files } = await startSession(workspace, [answer('First done.'), answer('Second done.')]);
    const summary = async () => (await test.store.getSession(test.sessionId))?.summary;
    await test.run('first');
    await test.run('second');
    await files.revert(test.sessionId, 'm3');
    expect(await summary()).toBe('First done.');
    await files.unrevert(test.sessionId);
    expect(await summary()).toBe('Second done.');
    await files.revert(test.sessionId, 'm1');
    expect(await summary()).toBe('Reverted to the start.');
  });
});

describe('unrevert', () => {
  it('takes the newest revert back', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const steps = [change('a', '2'), answer('Done.'), answer('Again.')];
    const { test, driver, files } = await startSession(workspace, steps);
    await test.run('go');
    await files.revert(test.sessionId, 'm1');
    expect(await files.unrevert(test.sessionId)).toMatchObject({ status: 'reverted', conversation: true });
    expect(present(workspace)).toEqual({ a: '2' });
    expect(await shownTexts(test, driver, 'more')).toContain('Done.');
    expect(test.of('session:unreverted')).toHaveLength(1);
    await expect(files.unrevert(test.sessionId)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('takes several reverts back, the newest first', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const steps = [change('a', '2'), answer('One.'), change('a', '3'), answer('Two.'), answer('!')];
    const { test, driver, files } = await startSession(workspace, steps);
    await test.run('first');
    await test.run('second');
    await files.revert(test.sessionId, 'm4');
    await files.revert(test.sessionId, 'm1');
    expect(await files.revert(test.sessionId, 'm1')).toMatchObject({ status: 'unchanged', hides: 0 });
    expect(present(workspace)).toEqual({ a: '1' });
    await files.unrevert(test.sessionId);
    expect(present(workspace)).toEqual({ a: '2' });
    expect(await files.tree(test.sessionId)).toMatchObject({ head: 3 });
    await files.unrevert(test.sessionId);
    expect(present(workspace)).toEqual({ a: '3' });
    await expect(files.unrevert(test.sessionId)).rejects.toMatchObject({ code: 'not_found' });
    await files.revert(test.sessionId, 'm4');
    await files.unrevert(test.sessionId);
    expect(present(workspace)).toEqual({ a: '3' });
    expect(await shownTexts(test, driver, 'more')).toContain('Two.');
  });

  it('lists files that somebody else changed since the revert', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const { test, files } = await startSession(workspace, [change('a', '2'), answer('Done.')]);
    await test.run('go');
    await files.revert(test.sessionId, 'm1');
    workspace.files.set('a', 'edited by hand');
    expect(await files.unrevert(test.sessionId)).toMatchObject({ status: 'blocked', conflicts: ['a'] });
    expect(await files.unrevert(test.sessionId, { keep: true })).toMatchObject({ status: 'reverted' });
    expect(present(workspace)).toEqual({ a: 'edited by hand' });
  });

  it('keeps the messages since a revert of only the files', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const steps = [change('a', '2'), answer('Done.'), answer('Since.'), answer('!')];
    const { test, driver, files } = await startSession(workspace, steps);
    await test.run('go');
    await files.revert(test.sessionId, 'm1', { only: 'files' });
    await test.run('go on');
    expect(await files.unrevert(test.sessionId)).toMatchObject({ conversation: false, hides: 0 });
    expect(present(workspace)).toEqual({ a: '2' });
    expect(await shownTexts(test, driver, 'more')).toContain('Since.');
  });

  it('leaves the branch that was begun since, and can return to it', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const steps = [
      change('a', 'old branch'),
      answer('Old.'),
      change('a', 'new branch'),
      answer('New.'),
      answer('!'),
    ];
    const { test, driver, files } = await startSession(workspace, steps);
    await test.run('go');
    await files.revert(test.sessionId, 'm1');
    await test.run('go elsewhere');
    expect(present(workspace)).toEqual({ a: 'new branch' });
    await files.unrevert(test.sessionId);
    expect(present(workspace)).toEqual({ a: 'old branch' });
    expect(await files.tree(test.sessionId)).toEqual({
      branches: [
        { first: 1, last: 3, parent: 0, liveUntil: 3 },
        { first: 4, last: 6, parent: 0 },
      ],
      head: 3,
      canUnrevert: false,
    });
    await files.revert(test.sessionId, 'm6');
    expect(await files.tree(test.sessionId)).toMatchObject({ head: 5, canUnrevert: true });
    const shown = await shownTexts(test, driver, 'and now');
    expect(shown).toContain('go elsewhere');
    expect(shown).not.toContain('Old.');
  });
});

describe('a copy', () => {
  async function revertedCopy() {
    const workspace = createMemoryWorkspace({ a: '1' });
    const { test, files } = await startSession(workspace, [change('a', '2'), answer('Done.')]);
    await test.run('go');
    await files.revert(test.sessionId, 'm1');
    return { workspace, files, id: (await test.runtime.fork(test.sessionId)).id };
  }

  it('lists files that somebody else changed before its first record, when a revert is taken back', async () => {
    const { workspace, files, id } = await revertedCopy();
    workspace.files.set('a', 'edited by hand');
    expect(await files.unrevert(id, { preview: true })).toMatchObject({ conflicts: ['a'] });
    expect(await files.unrevert(id)).toMatchObject({ status: 'blocked', conflicts: ['a'] });
    expect(await files.unrevert(id, { keep: true })).toMatchObject({ status: 'reverted' });
    expect(present(workspace)).toEqual({ a: 'edited by hand' });
  });

  it('takes a revert back without a question if nobody has changed a file', async () => {
    const { workspace, files, id } = await revertedCopy();
    expect(await files.unrevert(id)).toMatchObject({ status: 'reverted', conflicts: [] });
    expect(present(workspace)).toEqual({ a: '2' });
  });

  it('lists new files of others, which a revert would delete', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const { test, files } = await startSession(workspace, [change('a', '2'), answer('Done.')]);
    await test.run('go');
    const { id } = await test.runtime.fork(test.sessionId);
    workspace.files.set('mine', 'new');
    expect(await files.revert(id, 'm1')).toMatchObject({ status: 'blocked', conflicts: ['mine'] });
    await files.revert(id, 'm1', { keep: true });
    expect(present(workspace)).toEqual({ a: '1', mine: 'new' });
  });
});

/** From a file on, nothing is restored any more. */
function killAt(workspace: MemoryWorkspace, killedAt: string): void {
  let isKilled = false;
  workspace.onRestore = (path) => {
    isKilled ||= path === killedAt;
    if (isKilled) throw new LonghaulError('internal', 'killed');
  };
}

describe('a revert that fails', () => {
  it('is undone, so that the session can be used', async () => {
    const workspace = createMemoryWorkspace({ a: '1', b: '1' });
    const steps = [change('a', '2'), change('b', '2'), answer('Done.'), answer('Next.')];
    const { test, files } = await startSession(workspace, steps);
    await test.run('go');
    workspace.onRestore = (path) => {
      if (path === 'b') throw new LonghaulError('store_full', 'No space is left.');
    };
    await expect(files.revert(test.sessionId, 'm1')).rejects.toMatchObject({
      code: 'store_full',
      message: 'No space is left. The files are as they were before the revert.',
    });
    expect(present(workspace)).toEqual({ a: '2', b: '2' });
    await test.run('more');
    expect(present(workspace)).toEqual({ a: '2', b: '2' });
    expect(test.of('session:reverted')).toEqual([]);
  });
});

describe('a killed revert', () => {
  it('is completed by the next run, without what others changed since', async () => {
    const workspace = createMemoryWorkspace({ a: '1', b: '1', c: '1' });
    const steps = [change('a', '2'), change('b', '2'), change('c', '2'), answer('Done.'), answer('Next.')];
    const { test, driver, files } = await startSession(workspace, steps);
    await test.run('go');
    killAt(workspace, 'b');
    await expect(files.revert(test.sessionId, 'm1')).rejects.toThrow('killed');
    expect(present(workspace)).toEqual({ a: '1', b: '2', c: '2' });
    workspace.onRestore = undefined;
    expect(await files.unrevert(test.sessionId, { preview: true })).toMatchObject({
      hides: 0,
      files: [{ path: 'a' }],
      conflicts: [],
    });
    expect(present(workspace)).toEqual({ a: '1', b: '2', c: '2' });
    workspace.files.set('c', 'edited by hand');

    const shown = await shownTexts(test, driver, 'more');
    expect(present(workspace)).toEqual({ a: '1', b: '1', c: 'edited by hand' });
    expect(shown).not.toContain('Done.');
    expect(test.of('session:reverted')).toHaveLength(1);
  });

  it('shows what others changed since, and does not overwrite it when the revert is taken back', async () => {
    const workspace = createMemoryWorkspace({ a: '1', b: '1', c: '1' });
    const steps = [change('a', '2'), change('b', '2'), change('c', '2'), answer('Done.')];
    const { test, files } = await startSession(workspace, steps);
    await test.run('go');
    killAt(workspace, 'b');
    await expect(files.revert(test.sessionId, 'm1')).rejects.toThrow('killed');
    workspace.onRestore = undefined;
    workspace.files.set('a', 'edited by hand');
    workspace.files.set('c', 'edited by hand');

    const preview = await files.unrevert(test.sessionId, { preview: true });
    expect(preview.conflicts).toEqual(['a', 'c']);
    const blocked = await files.unrevert(test.sessionId);
    expect(blocked).toMatchObject({ status: 'blocked', conflicts: ['a', 'c'] });
    expect(present(workspace)).toEqual({ a: 'edited by hand', b: '1', c: 'edited by hand' });
    await files.unrevert(test.sessionId, { keep: true });
    expect(present(workspace)).toEqual({ a: 'edited by hand', b: '2', c: 'edited by hand' });
  });
});

describe('treesOf', () => {
  it('names the trees of the session, of a turn, and of a step', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const steps = [change('a', '2'), change('b', '1'), answer('One.'), change('c', '1'), answer('Two.')];
    const { test, files } = await startSession(workspace, steps);
    await test.run('first');
    await test.run('second');
    const changed = async (target?: string) => {
      const trees = await files.treesOf(test.sessionId, target);
      if (trees === undefined) return undefined;
      return (await workspace.trees.changes(trees.before, trees.after)).files.map(({ path }) => path);
    };
    expect(await changed()).toEqual(['a', 'b', 'c']);
    expect(await changed('m1')).toEqual(['a', 'b']);
    expect(await changed('m2')).toEqual(['a']);
    expect(await changed('m3')).toEqual(['b']);
    expect(await changed('m5')).toEqual(['c']);
  });

  it('counts a revert as part of what precedes the later messages', async () => {
    const workspace = createMemoryWorkspace({ a: '1' });
    const steps = [
      change('a', '2'),
      change('a', '3'),
      answer('One.'),
      answer('Two.'),
      change('b', '1'),
      answer(''),
    ];
    const { test, files } = await startSession(workspace, steps);
    await test.run('first');
    const at = async (sequence?: number) => {
      const tree = (await files.treeAfter(test.sessionId, sequence)) ?? '';
      return (await workspace.trees.changes(tree, (await files.treeAfter(test.sessionId)) ?? '')).files;
    };
    expect(await at(2)).toMatchObject([{ path: 'a' }]);
    await files.revert(test.sessionId, 'm3');
    // The files are now as after the first step.
    expect(await at(2)).toEqual([]);
    expect(await at(4)).toMatchObject([{ path: 'a' }]);
    await test.run('second');
    expect(await at(6)).toEqual([]);
    expect(await files.treesOf(test.sessionId, 'm6')).toMatchObject({ before: expect.anything() });
    const { before, after } = (await files.treesOf(test.sessionId, 'm6')) ?? {};
    expect(after).toBe(before);
  });
});
