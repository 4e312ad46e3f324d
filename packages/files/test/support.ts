import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '@longhaul/core';
import { createMemoryBlobStore } from '@longhaul/storage';
import type { FilesSettings } from '../src/files-settings.ts';
import { WorkspaceRecorder, type WorkspaceRecorderOptions } from '../src/record/workspace-recorder.ts';

export const SETTINGS: FilesSettings = { ignore: [], secret: [], maxFileMb: 20 };
export const KEY = Buffer.alloc(32, 7);

/** A temporary folder with a workspace, a blob store and a recorder in this thread. */
export interface Place extends AsyncDisposable {
  readonly path: string;
  readonly workspace: string;
  readonly blobs: BlobStore;
  open(tree?: string, options?: Partial<WorkspaceRecorderOptions>): Promise<WorkspaceRecorder>;
}

export async function newPlace(settings: Partial<FilesSettings> = {}): Promise<Place> {
  const path = await mkdtemp(join(tmpdir(), 'longhaul-files-'));
  const workspace = join(path, 'workspace');
  mkdirSync(workspace);
  const blobs = createMemoryBlobStore();
  return {
    path,
    workspace,
    blobs,
    open: (tree, options) =>
      WorkspaceRecorder.open(
        {
          workspace,
          blobs: recorderBlobs(blobs),
          cacheFolder: join(path, 'cache'),
          key: KEY,
          settings: { ...SETTINGS, ...settings },
          now: Date.now,
          passed: () => undefined,
          ...options,
        },
        tree,
      ),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

export function recorderBlobs(blobs: BlobStore): WorkspaceRecorderOptions['blobs'] {
  return {
    read: (id, range) => blobs.read(id, range),
    stat: (id) => blobs.stat(id),
    putPack: async ({ bytes }) => void (await blobs.put(bytes)),
  };
}

/** Everything in a folder: kinds, modes, contents and link targets. Names are byte strings. */
export function snapshot(folder: string, { skip = () => false }: { skip?: (path: string) => boolean } = {}) {
  const found: Record<string, string> = {};
  const visit = (path: string) => {
    for (const name of readdirSync(bytesOf(join(folder, path)), 'latin1').sort()) {
      const below = path === '' ? name : `${path}/${name}`;
      if (skip(below)) continue;
      const full = bytesOf(`${folder}/${below}`);
      const info = lstatSync(full);
      const mode = (info.mode & 0o777).toString(8);
      if (info.isSymbolicLink()) found[below] = `link ${readlinkSync(full, 'latin1')}`;
      else if (info.isDirectory()) {
        found[below] = `folder ${mode}`;
        visit(below);
      } else if (info.isFile()) found[below] = `file ${mode} ${readFileSync(full, 'latin1')}`;
    }
  };
  visit('');
  return found;
}

export function bytesOf(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}
