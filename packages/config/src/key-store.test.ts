import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KeyStore } from './key-store.ts';

let home: string;
let store: KeyStore;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'longhaul-keys-'));
  store = new KeyStore({ env: {}, home });
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

it('keeps keys in a file that only its owner can read', async () => {
  expect(await store.read()).toEqual({});
  await store.put('anthropic', 'one');
  await store.put('openai', 'two');
  await store.put('anthropic', 'three');
  expect(await store.read()).toEqual({ anthropic: 'three', openai: 'two' });
  expect((await stat(store.path)).mode & 0o777).toBe(0o600);
  expect(await store.isOpenToOthers()).toBe(false);
  // Nothing is left of the replaced files.
  expect(await readdir(dirname(store.path))).toEqual(['credentials.json']);
});

it('removes a key, and closes a file that others could read', async () => {
  await store.put('anthropic', 'one');
  await store.put('openai', 'two');
  await chmod(store.path, 0o644);
  expect(await store.isOpenToOthers()).toBe(true);
  expect(await store.remove('anthropic')).toBe(true);
  expect(await store.remove('anthropic')).toBe(false);
  expect(await store.read()).toEqual({ openai: 'two' });
  expect(await store.isOpenToOthers()).toBe(false);
});

it.each(['{"keys": {"openai": "secret-1"', '{"keys": {"openai": 7}}', 'null'])(
  'names the file that it cannot read, and not what is in it: %s',
  async (text) => {
    await store.put('openai', 'x');
    await writeFile(store.path, text);
    const error = await store.read().catch((failed: unknown) => failed);
    expect(error).toMatchObject({ code: 'file_unreadable' });
    expect(String(error)).toContain(store.path);
    expect(JSON.stringify(error) + String(error)).not.toContain('secret-1');
    // What is there is not replaced.
    await expect(store.put('openai', 'y')).rejects.toThrow('cannot be read');
    expect(await readFile(store.path, 'utf8')).toBe(text);
  },
);
