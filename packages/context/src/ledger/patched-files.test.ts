import { type FileChange, type PatchPart, treeReference } from '@longhaul/protocol';
import { expect, test } from 'vitest';
import { call, LogBuilder } from '../../test/log-fixtures.ts';
import { createLedgerFold } from './ledger-facts.ts';
import { foldMessage } from './ledger-fold.ts';

const tree = treeReference('0'.repeat(64));

function patch(byAgent: boolean, ...files: [FileChange['change'], string, string?][]): PatchPart {
  const changes = files.map(([change, path, from]) => ({
    path,
    change,
    restorable: true,
    ...(from !== undefined && { from }),
  }));
  return { type: 'patch', before: tree, after: tree, files: changes, byAgent };
}

function filesOf(log: LogBuilder) {
  const facts = createLedgerFold();
  for (const message of log.messages) foldMessage(facts, message);
  return [...facts.files.values()].map(({ path, actions, handle }) => [path, [...actions], handle]);
}

test('takes what commands changed from the record of a step', () => {
  const make = call('bash', { input: { command: 'make generate' } });
  const log = new LogBuilder()
    .user('go')
    .step(make, patch(true, ['modified', 'src/a.ts'], ['renamed', 'new.ts', 'old.ts'], ['deleted', 'x']));
  expect(filesOf(log)).toEqual([
    ['src/a.ts', ['modified'], 'm2'],
    ['new.ts', ['created'], 'm2'],
    ['old.ts', ['deleted'], 'm2'],
    ['x', ['deleted'], 'm2'],
  ]);
});

test('counts a file once that a call names by its absolute path', () => {
  const write = call('write', { input: { path: '/home/me/project/src/a.ts', content: 'x' } });
  const log = new LogBuilder().user('go').step(write, patch(true, ['added', 'src/a.ts']));
  expect(filesOf(log)).toEqual([['/home/me/project/src/a.ts', ['created'], 'm2.0']]);
});

test('does not attribute to the agent what others changed', () => {
  const log = new LogBuilder().user('go').step(patch(false, ['modified', 'notes.md']));
  expect(filesOf(log)).toEqual([]);
});
