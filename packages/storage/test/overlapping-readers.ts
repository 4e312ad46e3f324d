/**
 * A program for tests: `overlapping-readers.ts PATH MS`. Two connections read the database in turn, so that one of them
 * is always in a read transaction. Each transaction lasts twice MS milliseconds. Prints `reading` once the reads
 * overlap, and runs until it is killed.
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
