import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { it } from 'vitest';

const PROGRAM = `
  const { passProgramPoints } = await import(process.argv[1]);
  passProgramPoints({ reach: (point) => console.log(point) });
  const { DatabaseSync } = await import('node:sqlite');
  const { renameSync } = await import('node:fs');
  const { rename, rm, writeFile } = await import('node:fs/promises');
  const database = new DatabaseSync('store.db');
  database.exec('BEGIN; CREATE TABLE t (a)');
  database.exec('commit');
  await writeFile('a', '');
  await rename('a', 'b');
  renameSync('b', 'c');
  await rm('c');
`;

it('surround the commits, renames and removals of a program that does not know them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-points-'));
  try {
    const module = new URL('program-points.ts', import.meta.url).href;
    // The points cannot be taken back, so they are passed in another process.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', PROGRAM, module],
      { cwd: folder },
    );
    assert.deepEqual(stdout.trim().split('\n'), [
      'commit-before',
      'commit-after',
      'file-renamed',
      'file-renamed',
      'file-removed',
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
