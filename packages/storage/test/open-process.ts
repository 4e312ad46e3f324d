/**
 * A program for tests that open new databases at once: `open-process.ts FOLDER NAME ROUNDS`. Creates the file
 * `NAME.ready` when it is ready, and waits for the file `start`, which contains a time. From that time it opens one new
 * database per round, each at a time that all such programs share, stores a session in it, and prints `done` at the
 * end.
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
  // Loads all code before the first round.
  await (await openSqliteStore({ path: ':memory:' }))[Symbol.asyncDispose]();
  await writeFile(join(folder, `${name}.ready`), '');
  while (!existsSync(join(folder, 'start'))) await sleep(5);
  const start = Number(await readFile(join(folder, 'start'), 'utf8'));
  for (let round = 0; round < Number(rounds); round++) {
    await sleep(Math.max(0, start + round * BETWEEN_MS - Date.now()));
    await using store = await openSqliteStore({ path: join(folder, `${round}.db`), busyTimeoutMs: 60_000 });
    await store.createSession({ id: name, createdAt: 1, ...texts });
  }
  stdout.write('done\n');
} catch (error) {
  stdout.write(error instanceof LonghaulError ? `${error.code}: ${error.message}\n` : `${error}\n`);
  process.exitCode = 1;
}
