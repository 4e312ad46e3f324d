import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';

let bench: Bench;

beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench[Symbol.asyncDispose]());

const json = async (...argv: string[]) => JSON.parse((await bench.call([...argv, '--json'])).stdout);

describe('longhaul token', () => {
  it('adds, lists and revokes tokens of a running server without a restart', async () => {
    await writeFile(
      bench.userFile,
      'providers: { team: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1" } }\n',
    );
    const { firstLine, stop } = await bench.begin(['serve', '--port', '0', '--json']);
    const { url } = JSON.parse(firstLine);
    const added = await json('token', 'add', 'ann', '--expires', '90d');
    expect(added).toMatchObject({ name: 'ann', scope: 'work', token: expect.stringMatching(/^lht_ann\./) });
    expect((await stat(join(added.folder, 'ann.json'))).mode & 0o777).toBe(0o600);
    const headers = { authorization: `Bearer ${added.token}`, 'content-type': 'application/json' };
    const created = await fetch(`${url}/api/sessions`, {
      method: 'POST',
      headers,
      body: '{"title":"Hers","model":"team/one"}',
    });
    const { id, owner } = JSON.parse(await created.text());
    expect(owner).toBe('ann');
    expect(await json('token', 'list')).toMatchObject([
      { name: 'ann', scope: 'work', usedAt: expect.any(Number), isExpired: false },
    ]);
    expect((await bench.call(['token'])).stdout).toMatch(
      /^ann {2}work {2}made just now {2}used just now {2}expires in 89 days\n$/,
    );
    expect(await json('share', id)).toEqual({ owner: 'ann', shared: 'none' });
    expect((await bench.call(['share', id, 'read'])).stdout).toContain('Other tokens can read it.');
    expect(await json('share', id)).toEqual({ owner: 'ann', shared: 'read' });
    expect(await json('token', 'revoke', 'ann')).toEqual({ name: 'ann', revoked: true });
    expect((await fetch(`${url}/api/sessions`, { headers })).status).toBe(401);
    const { stderr } = await stop();
    expect(stderr).not.toContain(added.token);
    const { tokenFile } = JSON.parse(firstLine);
    expect(stderr).not.toContain((await readFile(tokenFile, 'utf8')).trim());
  });

  it.each([
    [['add'], 'Name a token'],
    [['add', 'a/b'], 'lower-case letters'],
    [['add', 'a\nb'], 'lower-case letters'],
    [['add', 'admin'], 'first token'],
    [['add', 'ann', 'bob'], 'Name one token'],
    [['add', 'ann', '--scope', 'root'], '--scope must be admin, work or read'],
    [['add', 'ann', '--expires', 'soon'], '--expires must be an age'],
    [['remove', 'ann'], 'There is no action "remove"'],
    [['list', 'ann'], 'takes no name'],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await bench.call(['token', ...argv]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('refuses a name that is taken, and says what to do', async () => {
    await bench.call(['token', 'add', 'ann']);
    const { code, stderr } = await bench.call(['token', 'add', 'ann']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('longhaul token revoke NAME')]);
  });

  it('refuses an unknown way to share', async () => {
    const { code, stderr } = await bench.call(['share', 'last', 'all']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('none, read or work')]);
  });
});
