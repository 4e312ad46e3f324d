import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NamedTokens } from './named-tokens.ts';
import { maskNamedTokens } from './token-name.ts';
import { untilTime } from './until-time.ts';

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'longhaul-tokens-'));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

const newTokens = (name: string) => new NamedTokens(join(parent, name));
const bearer = (token: string) => `Bearer ${token}`;

it('adds a token, of which only the hash is stored, in a file that only its owner can read', async () => {
  const tokens = newTokens('added');
  const token = await tokens.add('ann', { scope: 'work' });
  expect(token).toMatch(/^lht_ann\.[\w-]{43}$/);
  const file = join(tokens.folder, 'ann.json');
  expect(await readFile(file, 'utf8')).not.toContain(token.split('.')[1]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(tokens.folder)).mode & 0o777).toBe(0o700);
  expect(await tokens.find(bearer(token))).toMatchObject({ name: 'ann', scope: 'work' });
  expect(await readdir(tokens.folder)).toEqual(['ann.json', 'ann.used']);
});

it('is changed by another process without a restart', async () => {
  const tokens = newTokens('changed');
  const other = newTokens('changed');
  expect(await tokens.list()).toEqual([]);
  const token = await other.add('ann', { scope: 'read' });
  expect(await tokens.find(bearer(token))).toMatchObject({ scope: 'read' });
  expect(await other.revoke('ann')).toBe(true);
  expect(await other.revoke('ann')).toBe(false);
  expect(await tokens.find(bearer(token))).toBeUndefined();
  expect(await readdir(tokens.folder)).toEqual([]);
  const renewed = await other.add('ann', { scope: 'work' });
  expect(await tokens.find(bearer(token))).toBeUndefined();
  expect(await tokens.find(bearer(renewed))).toMatchObject({ scope: 'work' });
});

it('lists tokens with their last use, and never a hash', async () => {
  const tokens = newTokens('listed');
  const token = await tokens.add('bob', { scope: 'work' });
  await tokens.add('ann', { scope: 'read', expiresAt: Date.now() + 1_000_000 });
  await tokens.find(bearer(token));
  await writeFile(join(tokens.folder, 'broken.json'), '{"name":"broken"}');
  const [ann, bob, ...others] = await tokens.list();
  expect(others).toEqual([]);
  expect(ann).toMatchObject({ name: 'ann', scope: 'read', isExpired: false });
  expect(ann?.usedAt).toBeUndefined();
  expect(bob?.usedAt).toBeGreaterThan(0);
  expect(JSON.stringify([ann, bob])).not.toContain('hash');
});

it.each(['', 'Ann', 'a/b', '../ann', 'a\nb', '.ann', '-a', 'ann.json', 'admin', 'ä', 'a'.repeat(64), 'a\0'])(
  'refuses the name %j',
  async (name) => {
    const tokens = newTokens('names');
    await expect(tokens.add(name, { scope: 'work' })).rejects.toMatchObject({ code: 'usage' });
    await expect(tokens.revoke(name)).rejects.toMatchObject({ code: 'usage' });
  },
);

it('adds a name once, also if two processes add it at the same time', async () => {
  const adding = Array.from({ length: 8 }, () => newTokens('twice').add('ann', { scope: 'work' }));
  const outcomes = await Promise.allSettled(adding);
  const made = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  expect(made).toHaveLength(1);
  expect(await newTokens('twice').find(bearer(made[0] ?? ''))).toMatchObject({ name: 'ann' });
  expect(await readdir(join(parent, 'twice'))).toEqual(['ann.json', 'ann.used']);
});

it('lets nobody in with another secret, another name, a huge token or a file that is no token', async () => {
  const tokens = newTokens('wrong');
  const token = await tokens.add('ann', { scope: 'work' });
  await tokens.add('bob', { scope: 'admin' });
  await writeFile(join(tokens.folder, 'eve.json'), await readFile(join(tokens.folder, 'bob.json')));
  const secret = token.split('.')[1] ?? '';
  for (const wrong of [
    `lht_ann.${'A'.repeat(43)}`,
    `lht_bob.${secret}`,
    `lht_eve.${secret}`,
    `lht_nobody.${secret}`,
    `lht_../ann.${secret}`,
    `lht_ann.${'A'.repeat(10_000_000)}`,
    token.slice(0, -1),
    `${token}x`,
    '',
  ])
    expect(await tokens.find(bearer(wrong))).toBeUndefined();
  expect(await tokens.find(undefined)).toBeUndefined();
  await writeFile(join(tokens.folder, 'ann.json'), '{');
  expect(await tokens.find(bearer(token))).toBeUndefined();
});

it('reports a folder that cannot be used', async () => {
  const path = join(parent, 'file');
  await writeFile(path, '');
  await chmod(path, 0o600);
  const tokens = new NamedTokens(path);
  for (const act of [() => tokens.add('ann', { scope: 'work' }), () => tokens.list()])
    await expect(act()).rejects.toMatchObject({ code: 'file_unreadable' });
});

it('refuses an expired token', async () => {
  const tokens = newTokens('expired');
  const token = await tokens.add('ann', { scope: 'work', expiresAt: Date.now() - 1 });
  expect(await tokens.find(bearer(token))).toBeUndefined();
  expect(await tokens.list()).toMatchObject([{ name: 'ann', isExpired: true }]);
});

it('keeps a time over when the clock is set back, and corrects a clock that was ahead', () => {
  let [now, steady] = [1_000, 50];
  const until = untilTime({ now: () => now, steady: () => steady });
  expect([until.isOver(undefined), until.isOver(1_000), until.isOver(1_001)]).toEqual([false, true, false]);
  [now, steady] = [500, 60];
  expect([until.isOver(1_010), until.isOver(1_011)]).toEqual([true, false]);
  now = 9_000;
  expect(until.isOver(9_000)).toBe(true);
  now = 1_010;
  expect(until.isOver(9_000)).toBe(false);
});

it('masks named tokens in texts with as many asterisks', async () => {
  const token = await newTokens('masked').add('ann', { scope: 'work' });
  expect(maskNamedTokens(`{"a":"${token}"} lht_x`)).toBe(`{"a":"${'*'.repeat(token.length)}"} lht_x`);
});
