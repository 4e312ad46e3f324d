import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileBlobStore } from '../../blobs/file-blob-store.ts';
import { openSqliteStore } from '../../sqlite/open-sqlite-store.ts';
import { backUpStorage } from './back-up.ts';
import { restoreStorage } from './restore.ts';

const SESSION = { createdAt: 1, task: 'Build it', title: 'Build', model: 'scripted/one', workspace: '/work' };

async function storage() {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-backup-'));
  const place = { path: join(root, 'data', 'longhaul.db'), blobs: join(root, 'data', 'blobs') };
  const store = await openSqliteStore({ path: place.path });
  const blobs = createFileBlobStore(place.blobs);
  const token = join(root, 'data', 'server-token');
  await writeFile(token, 'secret', { mode: 0o644 });
  const { id: blob } = await blobs.put('an image');
  await store.createSession({ ...SESSION, id: 'first', metadata: { image: `@blob:${blob}` } });
  return {
    root,
    place,
    store,
    blobs,
    blob,
    files: [{ name: 'data/server-token', path: token }],
    copy: join(root, 'copy'),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}

const restored = (root: string) => ({
  place: { path: join(root, 'new', 'longhaul.db'), blobs: join(root, 'new', 'blobs') },
  pathOf: (name: string) => join(root, 'new', name),
});

async function modesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const infos = await Promise.all(
    [folder, ...names.map((name) => join(folder, name))].map((path) => stat(path)),
  );
  return infos.map((info) => `${info.isDirectory() ? 'folder' : 'file'} ${(info.mode & 0o777).toString(8)}`);
}

describe('a backup', () => {
  it('has the state of one moment while others write, is private, and can be restored', async () => {
    await using from = await storage();
    let isOver = false;
    const writing = (async () => {
      for (let number = 0; !isOver; number += 1) {
        const { id } = await from.blobs.put(`output ${number}`);
        await from.store.createSession({ ...SESSION, id: `s${number}`, metadata: { output: `@blob:${id}` } });
      }
    })();
    const report = await backUpStorage(from.place, from.copy, { files: from.files });
    isOver = true;
    await writing;
    expect(report).toMatchObject({
      missing: [],
      damaged: [],
      files: [{ path: 'data/server-token', bytes: 6 }],
    });
    expect(new Set(await modesBelow(from.copy))).toEqual(new Set(['folder 700', 'file 600']));

    const { place, pathOf } = restored(from.root);
    await restoreStorage(from.copy, place, { pathOf });
    expect(new Set(await modesBelow(join(from.root, 'new')))).toEqual(new Set(['folder 700', 'file 600']));
    expect(await readFile(pathOf('data/server-token'), 'utf8')).toBe('secret');
    await using store = await openSqliteStore({ path: place.path });
    const sessions = await store.listSessions({ limit: 10_000 });
    expect(sessions.map(({ id }) => id)).toContain('first');
    const blobs = createFileBlobStore(place.blobs);
    for (const { metadata } of sessions) {
      const reference = String(metadata?.['image'] ?? metadata?.['output']);
      expect(await blobs.stat(reference.slice('@blob:'.length))).toBeDefined();
    }
  });

  it('is refused in a folder that is not empty, and reports damaged and missing blobs', async () => {
    await using from = await storage();
    await mkdir(from.copy);
    await writeFile(join(from.copy, 'x'), '');
    await expect(backUpStorage(from.place, from.copy, { files: [] })).rejects.toMatchObject({
      code: 'usage',
    });
    const path = join(from.place.blobs, from.blob.slice(0, 2), from.blob.slice(2));
    await writeFile(path, 'other bytes');
    const report = await backUpStorage(from.place, join(from.root, 'second'), { files: [] });
    expect(report).toMatchObject({ damaged: [from.blob], missing: [], blobs: { count: 0 } });
    const { place, pathOf } = restored(from.root);
    expect(await restoreStorage(join(from.root, 'second'), place, { pathOf })).toMatchObject({ blobs: 0 });
    await rm(path);
    const third = await backUpStorage(from.place, join(from.root, 'third'), { files: [] });
    expect(third).toMatchObject({ damaged: [], missing: [from.blob] });
  });
});

describe('a restore', () => {
  it('overwrites nothing', async () => {
    await using from = await storage();
    await backUpStorage(from.place, from.copy, { files: from.files });
    const same = (name: string) => join(from.root, name);
    await expect(restoreStorage(from.copy, from.place, { pathOf: same })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(from.place.path),
    });
    const { place, pathOf } = restored(from.root);
    await mkdir(join(from.root, 'new', 'data'), { recursive: true });
    await writeFile(pathOf('data/server-token'), 'another');
    await expect(restoreStorage(from.copy, place, { pathOf })).rejects.toMatchObject({ code: 'usage' });
    expect(await readdir(join(from.root, 'new'))).toEqual(['data']);
    await restoreStorage(from.copy, place, { pathOf: () => undefined });
    expect(await readFile(pathOf('data/server-token'), 'utf8')).toBe('another');
  });

  it.each(['database.db', 'files/data/server-token', 'longhaul-backup.json', 'blob'])(
    'refuses a backup whose %s was changed, and restores nothing of it',
    async (name) => {
      await using from = await storage();
      await backUpStorage(from.place, from.copy, { files: from.files });
      const blob = join('blobs', from.blob.slice(0, 2), from.blob.slice(2));
      const path = join(from.copy, name === 'blob' ? blob : name);
      await chmod(path, 0o600);
      await writeFile(path, 'damaged');
      const { place, pathOf } = restored(from.root);
      const refused = restoreStorage(from.copy, place, { pathOf });
      await expect(refused).rejects.toMatchObject({ message: expect.stringContaining('is damaged') });
      await expect(stat(join(from.root, 'new'))).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  it('refuses a folder without a complete backup, and paths that lead out of it', async () => {
    await using from = await storage();
    const { place, pathOf } = restored(from.root);
    await expect(restoreStorage(from.root, place, { pathOf })).rejects.toMatchObject({ code: 'not_found' });
    await backUpStorage(from.place, from.copy, { files: from.files });
    const manifest = join(from.copy, 'longhaul-backup.json');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace('data/server-token', '../../server-token'));
    await expect(restoreStorage(from.copy, place, { pathOf })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
