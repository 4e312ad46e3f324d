import assert from 'node:assert/strict';
import { it } from 'vitest';
import { MIGRATIONS } from './migrations.ts';
import { type ServerFacts, serverProblem } from './prepare-database.ts';

const SOUND: ServerFacts = {
  version: '15.4',
  versionNumber: 150_004,
  encoding: 'UTF8',
  isReadOnly: false,
  storeVersion: MIGRATIONS.length,
  oldestVersion: MIGRATIONS.length,
};
const ADDRESS = 'postgres://me@db:5432/work';

it.each<[name: string, facts: Partial<ServerFacts>, code: string, text: string]>([
  [
    'an old server',
    { version: '14.9', versionNumber: 140_009 },
    'config_invalid',
    'Version 15 or newer is required',
  ],
  ['another encoding', { encoding: 'LATIN1' }, 'config_invalid', 'createdb --encoding=UTF8'],
  [
    'tables for newer programs',
    { storeVersion: MIGRATIONS.length + 2, oldestVersion: MIGRATIONS.length + 1 },
    'store_newer',
    'Update the program',
  ],
  ['a replica', { isReadOnly: true }, 'store_readonly', 'Use the primary server'],
])('refuses %s', (_name, facts, code, text) => {
  const problem = serverProblem({ ...SOUND, ...facts }, { address: ADDRESS, access: 'write' });
  assert.equal(problem?.code, code);
  assert.ok(problem.message.includes(text) && problem.message.includes(ADDRESS), problem.message);
});

it('accepts a server that fits, newer tables that this program can use, and a replica for reading', () => {
  const newer = { ...SOUND, storeVersion: MIGRATIONS.length + 1 };
  assert.equal(serverProblem(newer, { address: ADDRESS, access: 'write' }), undefined);
  assert.equal(serverProblem(SOUND, { address: ADDRESS, access: 'write' }), undefined);
  assert.equal(
    serverProblem({ ...SOUND, isReadOnly: true }, { address: ADDRESS, access: 'read' }),
    undefined,
  );
});
