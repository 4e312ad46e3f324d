/**
 * A program for tests: `migrate-process.ts PATH [hang]`. Migrates a database from version 1 to version 2, with many new
 * rows, and prints `done`. With `hang`, the migration never ends: the test kills the program.
 */
import { argv, stdout } from 'node:process';
import { connect } from '../src/sqlite/connection.ts';
import { migrate } from '../src/sqlite/migrate.ts';

const SLOW = `
  ALTER TABLE notes ADD COLUMN title TEXT DEFAULT 'none';
  INSERT INTO notes (text) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT hex(randomblob(20)) FROM n;`;

const ENDLESS = `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;`;

const [path = '', hang] = argv.slice(2);
const connection = await connect(path);
connection.exec('PRAGMA busy_timeout = 100000');
await migrate(connection, {
  path,
  migrations: [
    'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)',
    hang === undefined ? SLOW : SLOW + ENDLESS,
  ],
  now: Date.now,
});
connection.close();
stdout.write('done\n');
