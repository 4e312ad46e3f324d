import { answer, calls, failure, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';

const write = testTool('write', () => text('ok', { metadata: { created: true } }));
const wrote = (path: string) => calls({ name: 'write', input: { path }, callId: path });

describe('the summary of a session', () => {
  it('is the beginning of the answer and the changed files', async () => {
    const test = await testRun(
      playedDriver([wrote('a.ts'), wrote('b.ts'), answer('# Done\n\nI wrote **both** files.')]),
      [write],
    );
    await test.run('go');
    expect(await test.store.getSession(test.sessionId)).toMatchObject({
      status: 'completed',
      summary: 'I wrote both files. Changed files: b.ts, a.ts.',
    });
  });

  it('follows the newest run, and keeps the files of earlier ones', async () => {
    const steps = [wrote('a.ts'), answer('One.'), wrote('b.ts'), answer('Two.')];
    const test = await testRun(playedDriver(steps), [write]);
    await test.run('go');
    await test.run('more');
    const { summary } = (await test.store.getSession(test.sessionId)) ?? {};
    expect(summary).toBe('Two. Changed files: b.ts, a.ts.');
  });

  it('is of the note that a run writes at its limit', async () => {
    const steps = [wrote('a.ts'), answer('Half is done.')];
    const limits = { steps: 1, tokens: null, costUsd: null, minutes: null };
    const test = await testRun(playedDriver(steps), [write], { limits });
    expect(await test.run('go')).toMatchObject({ status: 'limit' });
    const { summary } = (await test.store.getSession(test.sessionId)) ?? {};
    expect(summary).toBe('Half is done. Changed files: a.ts.');
  });

  it('stays if a run fails', async () => {
    const steps = [answer('One.'), [failure('provider_auth', 'no key')]];
    const test = await testRun(playedDriver(steps), [write]);
    await test.run('go');
    expect(await test.run('more')).toMatchObject({ status: 'failed' });
    expect(await test.store.getSession(test.sessionId)).toMatchObject({ summary: 'One.' });
  });

  it('is of the narrative after a compaction', async () => {
    const summariser = playedDriver([answer('The task is to write files. One is written.')]);
    const long = testTool('write', () => text('word '.repeat(3_000), { metadata: { created: true } }));
    const steps = [wrote('a.ts'), wrote('b.ts'), wrote('a.ts'), answer('Done.')];
    const test = await testRun(playedDriver(steps), [long], { summariserFor: async () => summariser });
    await test.run('go');
    const { status } = await test.runtime.compact(test.sessionId);
    expect(status).toBe('compacted');
    expect((await test.store.getSession(test.sessionId))?.summary).toMatch(
      /^The task is to write files\. One is written\. Changed files: a\.ts, b\.ts\.$/,
    );
  });
});

describe('the summary of a copy', () => {
  it('is that of its source, or of the messages that are copied', async () => {
    const steps = [answer('One.'), answer('Two.')];
    const test = await testRun(playedDriver(steps), [write]);
    await test.run('go');
    await test.run('more');
    expect(await test.runtime.fork(test.sessionId)).toMatchObject({ summary: 'Two.' });
    expect(await test.runtime.fork(test.sessionId, { at: 2 })).toMatchObject({ summary: 'One.' });
    const empty = await test.runtime.fork(test.sessionId, { at: 1 });
    expect(empty.summary).toBeUndefined();
  });
});
