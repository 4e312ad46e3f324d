import { type FileChange, type PatchPart, treeReference } from '@longhaul/protocol';
import { expect, test } from 'vitest';
import { call, LogBuilder } from '../../test/log-fixtures.ts';
import { countByClasses } from '../tokens.ts';
import { buildLedger } from './ledger.ts';
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
    ['old.ts', ['moved'], 'm2'],
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

const bash = (command: string) => call('bash', { input: { command } });
const ledgerOf = (log: LogBuilder) => buildLedger(log.messages, { maxTokens: 2_000, count: countByClasses });

test('shows a move as one change, at the new place', () => {
  const ledger = ledgerOf(
    new LogBuilder().user('go').step(bash('cd app && git mv src/a.ts lib/ && mv b.ts c.ts')),
  );
  expect(ledger).toContain('- Done: c.ts, a.ts changed\n');
  expect(ledger).toContain('a.ts (from app/src/; m2.0)');
  expect(ledger).toContain('c.ts (from b.ts; m2.0)');
  expect(ledger).not.toMatch(/deleted|created/);
});

test('calls a file new only if no earlier call named it', () => {
  const log = new LogBuilder()
    .user('go')
    .step(bash('sed -n 1,20p /w/app/src/old.py'), call('read', { input: { path: 'b.py' }, output: 'x' }))
    .step(bash('cat > src/old.py'), call('write', { input: { path: 'b.py' } }), bash('cat > src/new.py'));
  expect(ledgerOf(log)).toContain('old.py (m3.0)');
  expect(ledgerOf(log)).toContain('b.py (m3.1)');
  expect(ledgerOf(log)).toContain('new.py (created; m3.2)');
});

test('counts neither the files of git nor copies as results', () => {
  const log = new LogBuilder()
    .user('go')
    .step(bash('cp a.py a.py.bak && cp a.py a_backup.py && touch a.py && rm -f .git/index.lock'));
  expect(ledgerOf(log)).toContain('- Done: a.py changed\n');
  expect(ledgerOf(log)).not.toContain('index.lock (');
});
