import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Script } from '@longhaul/scripted-model';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { describe, expect, it } from 'vitest';
import { Bench, type Running } from './harness.ts';

interface Listening {
  url: string;
  tokenFile: string;
  interrupted: string[];
  resumed: string[];
}

async function workspaceWith(bench: Bench, script: Script): Promise<void> {
  const { server } = await bench.serve({ script });
  await writeFile(
    bench.userFile,
    `model: openai-compatible/scripted\nproviders: { openai-compatible: { baseUrl: "${server.url}" } }\nsandbox: { driver: local }\n`,
  );
}

/** What `longhaul serve --json` says, and the way to ask it. */
async function listening(running: Running) {
  await running.saw('"listening"');
  const said: Listening = JSON.parse(running.output().split('\n')[0] ?? '');
  const token = (await readFile(said.tokenFile, 'utf8')).trim();
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(said.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return JSON.parse(await response.text());
  };
  return { ...said, token, call };
}

describe('longhaul serve', () => {
  it('works as a session over HTTP with a token that only its owner can read, and stops at SIGTERM', async () => {
    await using bench = await Bench.open();
    await workspaceWith(bench, () => 'All done.');
    const running = bench.start(['serve', '--port', '0', '--json']);
    const { url, tokenFile, token, call } = await listening(running);
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    expect((await fetch(`${url}/api/sessions`)).status).toBe(401);
    const { id, workspace, model } = await call('POST', '/api/sessions', {});
    expect([workspace, model]).toEqual([bench.workspace, 'openai-compatible/scripted']);
    expect(await call('POST', `/api/sessions/${id}/messages`, { content: 'Go' })).toMatchObject({
      queued: false,
    });
    await expect.poll(async () => (await call('GET', `/api/sessions/${id}`)).state).toBe('completed');
    const { messages } = await call('GET', `/api/sessions/${id}/messages`);
    expect(messages[1].parts[0].text).toBe('All done.');
    await call('PUT', '/api/settings', { compression: { strategy: 'middle-removal' } });
    const exported = await call('GET', `/api/sessions/${id}/export`);
    const imported = await call('POST', '/api/import', exported);
    expect(imported).toMatchObject({ format: 'longhaul', messages: 2 });
    running.child.kill('SIGTERM');
    const { code, stderr } = await running.ended;
    expect(code).toBe(0);
    const lines = stderr
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    const audited = lines.filter(({ audit }) => audit === true);
    expect(audited.length).toBeGreaterThan(0);
    expect(new Set(audited.map((line) => line.token))).toEqual(new Set(['admin']));
    expect(lines.map(({ msg }) => msg).filter((msg) => msg !== 'audit')).toEqual([
      'listening',
      'run',
      expect.stringContaining('stopping'),
      'stopped',
    ]);
    expect(stderr).not.toContain(token);

    const again = bench.start(['serve', '--port', '0', '--json']);
    const second = await listening(again);
    expect([second.token, second.interrupted]).toEqual([token, []]);
    expect(await second.call('GET', '/api/settings')).toMatchObject({
      compression: { strategy: 'middle-removal' },
    });
    again.child.kill('SIGINT');
    expect((await again.ended).code).toBe(0);
  });

  it('changes settings for other commands too: they override the file, not flags, until they are reset', async () => {
    await using bench = await Bench.open();
    await workspaceWith(bench, () => 'All done.');
    expect((await bench.run(['run', '-q', 'Go'])).code).toBe(0);
    const running = bench.start(['serve', '--port', '0', '--json']);
    const { call } = await listening(running);
    const strategy = async () => JSON.parse((await bench.run(['context', 'last', '--json'])).stdout).strategy;
    await call('PUT', '/api/settings', { compression: { strategy: 'middle-removal' } });
    expect(await strategy()).toBe('middle-removal');
    const database = join(bench.home, '.local/share/longhaul/longhaul.db');
    const shown = await bench.run(['config']);
    expect(shown.stdout).toContain(`# from PUT /api/settings, kept in ${database} (api)\n`);
    expect(shown.stdout).toContain('    strategy: middle-removal # api\n');
    expect(JSON.parse((await bench.run(['config', '--json'])).stdout)).toMatchObject({
      changedIn: database,
      origins: { 'context.compression.strategy': { from: 'api' } },
      config: { context: { compression: { strategy: 'middle-removal' } } },
    });
    await call('PUT', '/api/settings', { compression: { strategy: null } });
    expect(await strategy()).toBe('reactive-overflow');
    expect((await bench.run(['config'])).stdout).not.toContain('api');
    running.child.kill('SIGTERM');
    await running.ended;
    // One that cannot be loaded shows that a run goes by it, and not where a flag names another.
    {
      await using store = await openSqliteStore({
        path: join(bench.home, '.local/share/longhaul/longhaul.db'),
      });
      await store.putSetting('compression', { strategy: '/not/there.mjs' });
    }
    const refused = await bench.run(['run', '-q', 'Go']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('/not/there.mjs')]);
    expect((await bench.run(['run', '-q', '--strategy', 'middle-removal', 'Go'])).code).toBe(0);
  });

  it('names the session of a killed server, and resumes it with --resume', async () => {
    await using bench = await Bench.open();
    let isSilent = true;
    const neverEnds = { text: 'word '.repeat(20), fault: { kind: 'silence', afterChunks: 2 } } as const;
    await workspaceWith(bench, () => (isSilent ? neverEnds : 'Now it is done.'));
    const running = bench.start(['serve', '--port', '0', '--json']);
    const first = await listening(running);
    const { id } = await first.call('POST', '/api/sessions', {});
    await first.call('POST', `/api/sessions/${id}/messages`, { content: 'Go' });
    await expect
      .poll(async () => (await first.call('GET', `/api/sessions/${id}/messages`)).messages.length)
      .toBe(2);
    running.child.kill('SIGKILL');
    await running.ended;
    isSilent = false;
    const again = bench.start(['serve', '--port', '0', '--json', '--resume']);
    const second = await listening(again);
    expect([second.interrupted, second.resumed]).toEqual([[id], [id]]);
    await expect.poll(async () => (await second.call('GET', `/api/sessions/${id}`)).state).toBe('completed');
    again.child.kill('SIGTERM');
    expect((await again.ended).code).toBe(0);
  });

  it('refuses other machines without a token, and reports a port in use', async () => {
    await using bench = await Bench.open();
    await workspaceWith(bench, () => 'x');
    const open = await bench.run(['serve', '--host', '0.0.0.0', '--no-token', '--port', '0']);
    expect([open.code, open.stdout]).toEqual([2, '']);
    expect(open.stderr).toContain('without a token');
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { port } = other.address() as AddressInfo;
    const taken = await bench.run(['serve', '--port', String(port)]);
    expect(taken.code).toBe(2);
    expect(taken.stderr).toContain(`127.0.0.1:${port}: another program listens there`);
    await new Promise((done) => other.close(done));
    const none = await bench.run(['serve', '--port', '99999']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('at most 65535')]);
  });

  it('stops cleanly at a signal that comes right after its address is printed', async () => {
    await using bench = await Bench.open();
    await workspaceWith(bench, () => 'x');
    const running = bench.start(['serve', '--port', '0', '--json']);
    running.child.stdout?.once('data', () => running.child.kill('SIGTERM'));
    expect((await running.ended).code).toBe(0);
  });

  it('lets a step finish if one Ctrl-C arrives as two signals, from the terminal and from the launcher', async () => {
    await using bench = await Bench.open();
    const asked = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    await workspaceWith(bench, async () => {
      asked.resolve();
      await finish.promise;
      return 'All done.';
    });
    const running = bench.start(['serve', '--port', '0', '--json']);
    const { call } = await listening(running);
    const { id } = await call('POST', '/api/sessions', {});
    await call('POST', `/api/sessions/${id}/messages`, { content: 'Go' });
    await asked.promise;
    // A stopped process gets both at once when it continues.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) running.child.kill(signal);
    await running.warned('stopping');
    finish.resolve();
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('"status":"completed"')]);
  });
});

it('longhaul serve without a model prints where it looked, and works for a session that names one', async () => {
  await using bench = await Bench.open();
  const { server } = await bench.serve({ script: () => 'All done.' });
  await writeFile(
    bench.userFile,
    `providers: { mine: { baseUrl: "${server.url}" } }\nsandbox: { driver: local }\n`,
  );
  const shown = bench.start(['serve', '--port', '0']);
  await shown.saw('Ctrl-C lets running steps finish');
  const banner = shown.output().replaceAll(/\s+/g, ' ');
  expect(banner).toContain('No model: none is configured, and none was found. Looked for: ANTHROPIC_API_KEY');
  expect(banner).toContain('Name one when you create a session, as {"model": "provider/model"}');
  shown.child.kill('SIGTERM');
  await shown.ended;
  const running = bench.start(['serve', '--port', '0', '--json']);
  const { call } = await listening(running);
  expect(JSON.parse(running.output().split('\n')[0] ?? '')).not.toHaveProperty('model');
  expect(await call('POST', '/api/sessions', {})).toMatchObject({ error: { code: 'model_not_configured' } });
  const { id } = await call('POST', '/api/sessions', { model: 'mine/scripted' });
  await call('POST', `/api/sessions/${id}/messages`, { content: 'Go' });
  await expect.poll(async () => (await call('GET', `/api/sessions/${id}`)).state).toBe('completed');
  running.child.kill('SIGTERM');
  expect((await running.ended).code).toBe(0);
});
