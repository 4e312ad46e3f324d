import { BREAKING_VERSIONS, MIGRATIONS } from '../src/postgres/migrations.ts';

// Loaded into a process before its program, this makes it a program of the next version. The list is read-only for
// others than this test.
const migrations = MIGRATIONS as string[];
migrations.push('ALTER TABLE sessions ADD COLUMN of_next_version TEXT');
if (process.env['LONGHAUL_TEST_BREAKS'] !== undefined) BREAKING_VERSIONS.add(migrations.length);
