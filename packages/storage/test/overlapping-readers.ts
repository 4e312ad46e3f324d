/**
 * A program for tests: `overlapping-readers.ts PATH MS`. Two connections read the database so that at every moment one of them is in the middle of
 * a read, which lasts twice so many milliseconds; prints `reading` once it does, and goes on until it is killed.
 */
import { argv, stdout } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const [path = '', ms = ''] = argv.slice(2);
const readers = [1, 2].map(() => new DatabaseSync(path, { readOnly: true }));
for (let turn = 0; ; turn++) {
  const reader = readers[turn % 2];
  if (reader?.isTransaction) reader.exec('ROLLBACK');
  reader?.exec('BEGIN');
  reader?.prepare('SELECT count(*) FROM messages').get();
  if (turn === 2) stdout.write('reading\n');
  await sleep(Number(ms));
}
