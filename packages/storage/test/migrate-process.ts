/**
 * A program for tests: `migrate-process.ts PATH`. Migrates a database from version 1 to version 2, slowly, and prints
 * `done`.
 */
import { argv, stdout } from 'node:process';
import { connect } from '../src/sqlite/connection.ts';
import { migrate } from '../src/sqlite/migrate.ts';

const SLOW = `
  ALTER TABLE notes ADD COLUMN title TEXT DEFAULT 'none';
  INSERT INTO notes (text) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT hex(randomblob(20)) FROM n;`;

const path = argv[2] ?? '';
const connection = await connect(path);
connection.exec('PRAGMA busy_timeout = 20000');
await migrate(connection, {
  path,
  migrations: ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)', SLOW],
  now: Date.now,
});
connection.close();
stdout.write('done\n');
