/**
 * A program for tests of first openings: `open-process.ts FOLDER NAME ROUNDS`. Says that it is ready by a file `NAME.ready` and waits for one
 * named `start`, which holds a time. From then on it opens one new database after the other, each at a moment that all such programs share,
 * stores a session in it, and prints `done`.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { LonghaulError } from '@longhaul/protocol';
import { openSqliteStore } from '../src/sqlite/index.ts';

const BETWEEN_MS = 120;
const [folder = '', name = '', rounds = '0'] = argv.slice(2);
const texts = { task: name, title: name, model: 'm', workspace: '/' };
try {
  // Loads all code before the first moment.
  await (await openSqliteStore({ path: ':memory:' }))[Symbol.asyncDispose]();
  await writeFile(join(folder, `${name}.ready`), '');
  while (!existsSync(join(folder, 'start'))) await sleep(5);
  const start = Number(await readFile(join(folder, 'start'), 'utf8'));
  for (let round = 0; round < Number(rounds); round++) {
    await sleep(Math.max(0, start + round * BETWEEN_MS - Date.now()));
    await using store = await openSqliteStore({ path: join(folder, `${round}.db`) });
    await store.createSession({ id: name, createdAt: 1, ...texts });
  }
  stdout.write('done\n');
} catch (error) {
  stdout.write(error instanceof LonghaulError ? `${error.code}: ${error.message}\n` : `${error}\n`);
  process.exitCode = 1;
}
