import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { it } from 'vitest';
import { FILES_FAULT_POINTS } from './fault-points.ts';

const PROGRAM = `
  const { passFilesPoints } = await import(process.argv[1]);
  passFilesPoints({ reach: (point) => console.log(point) });
  const { createFileTrees } = await import(process.argv[2]);
  const { createFileBlobStore } = await import(process.argv[3]);
  const { writeFile } = await import('node:fs/promises');
  const settings = { ignore: [], secret: [], maxFileMb: 20 };
  const trees = createFileTrees({ blobs: createFileBlobStore('blobs'), cacheFolder: 'cache', key: Buffer.alloc(32), settings });
  const recorder = await trees.openRecorder(process.cwd() + '/workspace', undefined);
  const { after } = await recorder.record();
  await writeFile('workspace/a', 'two');
  await recorder.record();
  await recorder.restore(after);
  await recorder[Symbol.asyncDispose]();
`;

it('are passed by a program that records and restores files and does not know them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-points-'));
  const module = (path: string) => new URL(path, import.meta.url).href;
  try {
    await mkdir(join(folder, 'workspace'));
    await writeFile(join(folder, 'workspace', 'a'), 'one');
    // The points cannot be taken back, so they are passed in another process.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        ...FROM_SOURCE,
        '--input-type=module',
        '--eval',
        PROGRAM,
        module('files-points.ts'),
        module('../../../files/src/index.ts'),
        module('../../../storage/src/blobs/index.ts'),
      ],
      { cwd: folder },
    );
    assert.deepEqual(new Set(stdout.trim().split('\n')), new Set(FILES_FAULT_POINTS));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
