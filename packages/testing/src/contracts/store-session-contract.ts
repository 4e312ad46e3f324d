import assert from 'node:assert/strict';
import { accessMetadata, type Compaction, type Share } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import { draft, heldSession, newSession, type OpenStore, queued, refused, text } from './store-fixtures.ts';

export function sessionContract({ it }: ContractRunner, open: OpenStore): void {
  it('stores a session and returns it unchanged', async () => {
    await using store = await open();
    const session = newSession('s1', { metadata: { tags: ['a', null, 2] } });
    const stored = await store.createSession(session);
    assert.deepEqual(stored, { ...session, status: 'active', updatedAt: session.createdAt });
    assert.deepEqual(await store.getSession('s1'), stored);
    assert.equal(await store.getSession('absent'), undefined);
  });

  it('refuses a second session with the same id', async () => {
    await using store = await open();
    await store.createSession(newSession('s1'));
    await refused(store.createSession(newSession('s1', { task: 'other' })), 'invalid_request');
    assert.equal((await store.getSession('s1'))?.task, 'Build it');
  });

  it('changes only the fields in the patch', async () => {
    let time = 1000;
    await using store = await open({ now: () => time });
    const before = await store.createSession(newSession('s1', { metadata: { kept: true } }));
    time = 5000;
    const after = await store.updateSession('s1', { title: 'New', status: 'completed' });
    assert.deepEqual(after, { ...before, title: 'New', status: 'completed', updatedAt: 5000 });
    assert.deepEqual(await store.getSession('s1'), after);
    await refused(store.updateSession('absent', { title: 'x' }), 'session_not_found');
  });

  it('merges keys into the metadata, and removes those that are null', async () => {
    await using store = await open();
    await store.createSession(newSession('s1', { metadata: { kept: true, gone: { deep: 1 } } }));
    await Promise.all([
      store.updateSession('s1', { metadata: { one: 1 } }),
      store.updateSession('s1', { metadata: { two: { a: null } } }),
      store.updateSession('s1', { metadata: { gone: null, absent: null } }),
    ]);
    assert.deepEqual((await store.getSession('s1'))?.metadata, { kept: true, one: 1, two: { a: null } });
    await store.createSession(newSession('s2'));
    const after = await store.updateSession('s2', { metadata: { one: 1 } });
    assert.deepEqual(after.metadata, { one: 1 });
  });

  it('keeps the summary that a run or a compaction stores last', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    const summaryOf = async () => (await store.getSession(lease.sessionId))?.summary;
    await store.recordCompaction(lease, compaction('c1', 2000), { summary: 'One.' });
    assert.equal(await summaryOf(), 'One.');
    await store.recordCompaction(lease, compaction('c2', 2001));
    assert.equal(await summaryOf(), 'One.');
    const end = { status: 'completed', sessionStatus: 'completed', onlyIfQueueEmpty: true } as const;
    await store.enqueue(lease.sessionId, queued('q1'), { maxPending: 10 });
    await store.finishRun(lease, { ...end, summary: 'Two.', events: [] });
    assert.equal(await summaryOf(), 'One.');
    await store.finishRun(lease, { ...end, onlyIfQueueEmpty: false, summary: 'Two.', events: [] });
    assert.equal(await summaryOf(), 'Two.');
  });

  it('changes a title during a run only if nobody else has changed it', async () => {
    await using store = await open();
    const lease = await heldSession(store);
    const { title } = (await store.getSession(lease.sessionId)) ?? { title: '' };
    const titled = { type: 'session:titled', title: 'New' } as const;
    const change = { from: title, to: 'New', task: 'Task' };
    const events = await store.retitleSession(lease, change, [titled]);
    assert.deepEqual(
      events?.map((event) => event.type),
      ['session:titled'],
    );
    const { title: stored, task } = (await store.getSession(lease.sessionId)) ?? {};
    assert.deepEqual({ stored, task }, { stored: 'New', task: 'Task' });
    assert.equal(await store.retitleSession(lease, change, [titled]), undefined);
    assert.equal(await store.retitleSession(lease, { from: 'New', to: 'New' }, [titled]), undefined);
    assert.equal(await store.lastEventNumber(lease.sessionId), events?.at(-1)?.number);
    await store.finishRun(lease, {
      status: 'completed',
      sessionStatus: 'completed',
      onlyIfQueueEmpty: false,
      events: [],
    });
    await refused(store.retitleSession(lease, { from: 'New', to: 'Late' }, [titled]), 'lease_lost');
  });

  it('lists the last created session first even if the clock was set back, in pages without gaps or repeats', async () => {
    await using store = await open();
    for (const [id, createdAt] of [
      ['a', 1],
      ['b', 3],
      ['c', 3],
      ['d', 2],
      ['e', 1],
    ] as const) {
      await store.createSession(newSession(id, { createdAt }));
    }
    const pages: string[][] = [];
    for (let before: string | undefined; ; before = pages.at(-1)?.at(-1)) {
      const page = await store.listSessions({ limit: 2, before });
      if (page.length === 0) break;
      pages.push(page.map((session) => session.id));
    }
    assert.deepEqual(pages, [['e', 'd'], ['c', 'b'], ['a']]);
    await refused(store.listSessions({ before: 'absent' }), 'session_not_found');
  });

  it('finds sessions by literal words of title and task, in pages', async () => {
    await using store = await open();
    await store.createSession(newSession('a', { createdAt: 1, title: 'Fix the Parser', task: 'tests fail' }));
    await store.createSession(newSession('b', { createdAt: 2, title: 'Docs', task: 'Write 100% of it_all' }));
    await store.createSession(newSession('c', { createdAt: 3, title: 'parser again', task: 'x' }));
    const found = async (search: string, before?: string) =>
      (await store.listSessions({ search, limit: 1, ...(before && { before }) })).map(({ id }) => id);
    assert.deepEqual(await found('PARSER'), ['c']);
    assert.deepEqual(await found('PARSER', 'c'), ['a']);
    assert.deepEqual(await found('fail fix'), ['a']);
    assert.deepEqual(await found('100% t_a'), ['b']);
    assert.deepEqual(await found('%'), ['b']);
    assert.deepEqual(await found('x_'), []);
  });

  it('lists the children of a session, or the sessions that are no children', async () => {
    await using store = await open();
    await store.createSession(newSession('parent'));
    const link = { parentId: 'parent', parentCallId: 'call-1' };
    const child = await store.createSession(newSession('child', link));
    assert.deepEqual({ parentId: child.parentId, parentCallId: child.parentCallId }, link);
    await store.createSession(newSession('grandchild', { parentId: 'child', parentCallId: 'call-2' }));
    await store.createSession(newSession('second', link));
    const found = async (parentId: string | null | undefined, limit = 50) =>
      (await store.listSessions({ parentId, limit })).map(({ id }) => id);
    assert.deepEqual(await found('parent'), ['second', 'child']);
    assert.deepEqual(await found('parent', 1), ['second']);
    assert.deepEqual(await found('child'), ['grandchild']);
    assert.deepEqual(await found(null), ['parent']);
    assert.deepEqual(await found(undefined), ['second', 'grandchild', 'child', 'parent']);
  });

  it('lists what a token may see: its own sessions, shared ones, and children for a later decision', async () => {
    await using store = await open();
    const owned = (id: string, owner: string, shared: Share = 'none') =>
      store.createSession(newSession(id, { metadata: { note: 'x', ...accessMetadata({ owner, shared }) } }));
    await store.createSession(newSession('terminal'));
    await owned('own', 'ann');
    const imitated = { x: { ...accessMetadata({ owner: 'ann', shared: 'work' }), nul: '\0' } };
    await store.createSession(newSession('imitated', { metadata: imitated }));
    await owned('other', 'bob');
    await owned('read', 'bob', 'read');
    await owned('work', 'bob', 'work');
    await store.createSession(newSession('odd', { metadata: { access: 'ann' } }));
    await store.createSession(newSession('child', { parentId: 'other' }));
    const found = async (visibleTo: string, parentId?: null) =>
      (await store.listSessions({ visibleTo, parentId })).map(({ id }) => id);
    assert.deepEqual(await found('ann'), ['child', 'work', 'read', 'own']);
    assert.deepEqual(await found('ann', null), ['work', 'read', 'own']);
    assert.deepEqual(await found('admin', null), ['odd', 'work', 'read', 'imitated', 'terminal']);
    await store.updateSession('own', { metadata: accessMetadata({ owner: 'bob', shared: 'none' }) });
    assert.deepEqual(await found('ann', null), ['work', 'read']);
  });

  it('keeps a summary', async () => {
    await using store = await open();
    await store.createSession(newSession('s1'));
    await store.updateSession('s1', { summary: 'Wrote the parser.' });
    assert.equal((await store.getSession('s1'))?.summary, 'Wrote the parser.');
  });

  it('makes a staged session and its staged children visible at the same time', async () => {
    await using store = await open();
    const parent = await store.stageSession(newSession('parent'));
    await parent.append([draft('m1', [text('asked')])]);
    const child = await store.stageSession(newSession('child', { parentId: 'parent' }));
    await child.append([draft('m2', [text('found')])]);
    const end = { patch: { title: 'Copy' }, marks: [] };
    const lost = { ...end, id: 'child', messages: 2 };
    await refused(parent.publish({ ...end, children: [lost] }), 'session_not_found');
    assert.deepEqual(await store.listSessions(), []);
    await parent.publish({ ...end, children: [{ ...lost, messages: 1 }] });
    assert.deepEqual(
      (await store.listSessions()).map(({ id, title }) => [id, title]),
      [
        ['child', 'Copy'],
        ['parent', 'Copy'],
      ],
    );
    assert.equal((await store.loadLog('child')).messages.length, 1);
  });

  it('deletes a session with its descendants, and no other', async () => {
    await using store = await open();
    await store.createSession(newSession('parent'));
    await store.createSession(newSession('child', { parentId: 'parent' }));
    await store.createSession(newSession('grandchild', { parentId: 'child' }));
    await store.createSession(newSession('sibling', { parentId: 'parent' }));
    await store.createSession(newSession('other'));
    await store.deleteSession('child');
    assert.deepEqual(
      (await store.listSessions()).map(({ id }) => id),
      ['other', 'sibling', 'parent'],
    );
    await store.deleteSession('parent');
    assert.deepEqual(
      (await store.listSessions()).map(({ id }) => id),
      ['other'],
    );
    assert.equal(await store.getSession('grandchild'), undefined);
  });

  it('lists the sessions of a folder, matched literally, with or without folders below it, in pages', async () => {
    await using store = await open();
    const workspaces = ['/work', '/work/a_b', '/work/axb', '/workshop', '/work/a_b/deep', '/'];
    for (const [index, workspace] of workspaces.entries())
      await store.createSession(newSession(workspace, { createdAt: index, workspace }));
    const found = async (
      folder: string,
      options: { below?: boolean; before?: string; limit?: number } = {},
    ) => {
      const { below, ...page } = options;
      return (await store.listSessions({ ...page, workspace: { folder, below } })).map(({ id }) => id);
    };
    assert.deepEqual(await found('/work'), ['/work']);
    assert.deepEqual(await found('/work/a_b', { below: true }), ['/work/a_b/deep', '/work/a_b']);
    const below = ['/work/a_b/deep', '/work/axb', '/work/a_b', '/work'];
    assert.deepEqual(await found('/work', { below: true }), below);
    assert.deepEqual(await found('/work', { below: true, limit: 2, before: '/work/axb' }), below.slice(2));
    assert.deepEqual(await found('/', { below: true }), workspaces.toReversed());
    assert.deepEqual(await found('/elsewhere', { below: true }), []);
  });

  it('keeps settings until they are removed', async () => {
    await using store = await open();
    assert.equal(await store.getSetting('one'), undefined);
    await store.putSetting('one', { deep: [1, null] });
    await store.putSetting('one', { deep: [2] });
    assert.deepEqual(await store.getSetting('one'), { deep: [2] });
    await store.putSetting('one', undefined);
    assert.equal(await store.getSetting('one'), undefined);
  });

  it('deletes a session with everything in it, and no other session', async () => {
    await using store = await open();
    const gone = await heldSession(store, 'gone');
    const stays = await heldSession(store, 'stays');
    await store.appendMessage(gone, draft('m1', [text('needle')]), [{ type: 'llm:thinking' }]);
    await store.appendMessage(stays, draft('m2', [text('needle')]));
    await store.enqueue('gone', queued('q1'), { maxPending: 9 });
    await store.putSetting('session:gone:a', 1);
    await store.putSetting('session:gone2:a', 2);
    await store.deleteSession('gone');
    assert.deepEqual(
      [await store.getSetting('session:gone:a'), await store.getSetting('session:gone2:a')],
      [undefined, 2],
    );
    await refused(store.loadLog('gone'), 'session_not_found');
    await refused(store.readEvents('gone'), 'session_not_found');
    await refused(store.listQueue('gone'), 'session_not_found');
    await refused(store.deleteSession('gone'), 'session_not_found');
    await refused(store.appendEvents(gone, [{ type: 'llm:thinking' }]), 'session_not_found');
    assert.deepEqual(
      (await store.search('needle')).map((hit) => hit.sessionId),
      ['stays'],
    );
    await store.createSession(newSession('gone'));
    assert.deepEqual((await store.loadLog('gone')).messages, []);
    assert.deepEqual(await store.readEvents('gone'), []);
  });

  it('copies values, so that the caller cannot change them later', async () => {
    await using store = await open();
    const metadata = { list: [1] };
    const created = await store.createSession(newSession('s1', { metadata }));
    metadata.list.push(2);
    if (created.metadata !== undefined) created.metadata['list'] = 'changed';
    assert.deepEqual((await store.getSession('s1'))?.metadata, { list: [1] });
  });
}

function compaction(id: string, createdAt: number): Omit<Compaction, 'kind' | 'sessionId'> {
  const summary = { ledger: 'facts', narrative: '' };
  const sizes = { round: 1, tokensBefore: 9, tokensAfter: 4 };
  return { id, strategy: 's', reason: 'manual', hides: [], createdAt, summary, ...sizes };
}
