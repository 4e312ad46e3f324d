import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';

const LOCAL = ['--sandbox', 'local', '--window', '16000', '--quiet'];
const databaseOf = (bench: Bench) => join(bench.home, '.local/share/longhaul/longhaul.db');

/** What the session `last` is said to have been told. */
async function tell(path: string, address: object): Promise<void> {
  await using store = await openSqliteStore({ path });
  const [session] = await store.listSessions({ limit: 1 });
  await store.putSetting(`session:${session?.id}:address`, { provider: 'openai-compatible', ...address });
}

describe('the address that a session keeps from --base-url', () => {
  it('is used by the session and its fork; a flag replaces it', async () => {
    await using bench = await Bench.open();
    const first = await bench.serve({ script: () => 'First.' });
    const second = await bench.serve({ script: () => 'Second.' });
    const ask = async (...args: string[]) => (await bench.call(['run', ...LOCAL, ...args])).stdout;
    const env = { LONGHAUL_API_KEY: 'sk-of-the-run' };
    expect((await bench.call(['run', ...LOCAL, ...first.flags, 'Hi'], { env })).stdout).toBe('First.\n');
    expect(await ask('--session', 'last', 'Again')).toBe('First.\n');
    await bench.call(['fork', 'last']);
    expect(await ask('--session', 'last', 'Again')).toBe('First.\n');
    const there = ['--base-url', second.server.url];
    expect(await ask('--session', 'last', ...there, 'Again')).toBe('Second.\n');
    expect(await ask('--session', 'last', 'Again')).toBe('Second.\n');
    const seen = await bench.call([
      'run',
      '--sandbox',
      'local',
      '--window',
      '16000',
      '--session',
      'last',
      'Go',
    ]);
    expect(seen.stdout).toContain(`\nserver   ${second.server.url}\n`);
    await using store = await openSqliteStore({ path: databaseOf(bench) });
    const [session] = await store.listSessions({ limit: 1 });
    const kept = await store.getSetting(`session:${session?.id}:address`);
    expect(kept).toEqual({ provider: 'openai-compatible', baseUrl: second.server.url });
  });

  it('is used by a child of the session, and by the fork of a child', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({
      script: ({ messages }) =>
        JSON.stringify(messages).includes('Look.')
          ? 'Seen.'
          : { toolCalls: [{ name: 'task', arguments: { prompt: 'Look.' } }] },
    });
    await bench.call(['run', ...LOCAL, ...flags, 'Hi']);
    await using store = await openSqliteStore({ path: databaseOf(bench) });
    const [parent] = await store.listSessions({ parentId: null });
    const [child] = await store.listSessions({ parentId: parent?.id });
    const ask = (id = '') => bench.call(['run', ...LOCAL, '--session', id, 'Again']);
    expect(await ask(child?.id)).toMatchObject({ code: 0, stdout: 'Seen.\n' });
    await bench.call(['fork', child?.id ?? '']);
    expect(await ask('last')).toMatchObject({ code: 0, stdout: 'Seen.\n' });
  });

  it('is not used for another provider, whose key it would receive', async () => {
    await using bench = await Bench.open();
    const { server, flags } = await bench.serve({ script: () => 'Hello.' });
    await bench.call(['run', ...LOCAL, ...flags, 'Hi']);
    const { length } = server.requests;
    await writeFile(
      bench.userFile,
      'providers: { mine: { baseUrl: "http://127.0.0.1:9/v1", apiKey: sk-mine-123 } }\nretry: { attempts: 1 }\n',
    );
    const other = await bench.call(['run', ...LOCAL, '--session', 'last', '--model', 'mine/x', 'Hi']);
    expect(other.stderr).toContain('127.0.0.1:9');
    expect(server.requests).toHaveLength(length);
  });

  it('is not kept if it may contain a key', async () => {
    await using bench = await Bench.open();
    const { server, flags } = await bench.serve({ script: () => 'Hello.' });
    await bench.call(['run', ...LOCAL, ...flags, 'Hi']);
    const withKey = `${server.url}?key=sk-secret-123`;
    await bench.call(['run', ...LOCAL, '--session', 'last', '--base-url', withKey, 'Hi']);
    await using store = await openSqliteStore({ path: databaseOf(bench) });
    const [session] = await store.listSessions({ limit: 1 });
    expect(await store.getSetting(`session:${session?.id}:address`)).toBeUndefined();
  });

  it.each(['sqlite:mine.db', 'sqlite:/ROOT/mine.db'])(
    'in a database that the project names (%s) is not used, also on this machine',
    async (url) => {
      await using bench = await Bench.open();
      const { server, flags } = await bench.serve({ script: () => 'Hello.' });
      const at = url.replace('/ROOT', bench.workspace);
      await writeFile(join(bench.workspace, 'longhaul.yml'), `storage: { url: "${at}" }\n`);
      const path = join(bench.workspace, 'mine.db');
      // A relative path is meant from the folder of the process.
      await bench.run(['run', '--trust', ...LOCAL, ...flags, 'Hi']);
      const local = await bench.run(['run', '--trust', ...LOCAL, '--session', 'last', 'Hi']);
      expect(local).toMatchObject({ code: 2, stdout: '' });
      await tell(path, { baseUrl: 'http://models.example.com/v1' });
      const env = { LONGHAUL_API_KEY: 'sk-secret-123' };
      const refused = await bench.run(['run', '--trust', ...LOCAL, '--session', 'last', 'Hi'], { env });
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(
        /--base-url http:\/\/models\.example\.com\/v1.*Its database \(storage\.url\) is named by the project/,
      );
      const there = ['--base-url', server.url];
      const again = await bench.run(['run', '--trust', ...LOCAL, '--session', 'last', ...there, 'Hi'], {
        env,
      });
      expect(again.stdout).toBe('Hello.\n');
    },
  );

  it('cannot be set by the metadata of a session or an imported file', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: () => 'Hello.' });
    await bench.call(['run', ...LOCAL, ...flags, 'Hi']);
    const exported = JSON.parse((await bench.call(['export', 'last'])).stdout);
    expect(JSON.stringify(exported)).not.toContain(flags.at(-1));
    const address = { provider: 'openai-compatible', baseUrl: flags.at(-1) ?? '' };
    const file = join(bench.workspace, 'session.json');
    const session = { ...exported.session, baseUrl: address.baseUrl, metadata: { address, ...address } };
    await writeFile(file, JSON.stringify({ ...exported, session }));
    await bench.call(['import', file]);
    const model = ['--model', 'openai-compatible/scripted'];
    const went = await bench.call(['run', ...LOCAL, '--session', 'last', ...model, 'Hi']);
    expect(went).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--base-url URL') });
  });
});

it('longhaul resume needs no model and no address if there is nothing to resume', async () => {
  await using bench = await Bench.open();
  const { server, flags } = await bench.serve({ script: () => 'Hello.' });
  await bench.call(['run', ...LOCAL, ...flags, 'Hi']);
  await tell(databaseOf(bench), { provider: 'none' });
  await server.close();
  const resumed = await bench.call(['resume', 'last']);
  expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing to resume') });
});

it.each(['scripted', 'qwen/scripted-8b', 'openai/gpt-oss-20b'])(
  'longhaul run --model %s names a model of the server at --base-url, and the session keeps it',
  async (model) => {
    await using bench = await Bench.open();
    const { server } = await bench.serve({ script: () => 'Hello.', model });
    const there = ['--model', model, '--base-url', server.url];
    expect(await bench.call(['run', 'Hi', ...LOCAL, ...there])).toMatchObject({
      code: 0,
      stdout: 'Hello.\n',
    });
    expect(server.requests.at(-1)?.body).toMatchObject({ model });
    const again = await bench.call(['run', 'Again', '--session', 'last', ...LOCAL]);
    expect(again).toMatchObject({ code: 0, stdout: 'Hello.\n' });
    expect(server.requests.at(-1)?.body).toMatchObject({ model });
  },
);
