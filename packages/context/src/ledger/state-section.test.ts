import { describe, expect, it } from 'vitest';
import { call, LogBuilder } from '../../test/log-fixtures.ts';
import { createLedgerFold } from './ledger-facts.ts';
import { foldMessage } from './ledger-fold.ts';
import { stateLines } from './state-section.ts';

function stateOf(builder: LogBuilder, visibleFrom = Number.POSITIVE_INFINITY): string[] {
  const fold = createLedgerFold();
  for (const message of builder.messages) foldMessage(fold, message);
  return stateLines(fold, visibleFrom);
}

const bash = (command: string, exitCode = 0, output = '') =>
  call('bash', {
    input: { command },
    output: `${output}\n[exit code ${exitCode}]`,
    state: exitCode === 0 ? 'completed' : 'error',
    metadata: { ended: 'exit', exitCode },
  });
const write = (path: string) =>
  call('write', { input: { path, content: 'x' }, output: `Created ${path}`, metadata: { created: true } });
const todo = (...items: string[]) => call('todo', { input: { items: [] }, output: items.join('\n') });

describe('stateLines', () => {
  it('is empty as long as nothing has happened', () => {
    expect(stateOf(new LogBuilder())).toEqual([]);
    expect(stateOf(new LogBuilder().user('hello').step('Hello.', bash('ls')))).toEqual([]);
  });

  it('shows what is done, what is next and what is broken', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(todo('[x] Cards', '[>] Decks', '[ ] Sync', '[-] Cloud'), write('src/a.ts'), write('src/b.ts'))
      .step(bash('git add . && git commit -m "Add cards"'))
      .step(bash('npm run lint', 1, 'src/a.ts:3:1 error: no spaces'), bash('npm test', 0))
      .step(write('src/c.ts'), write('src/d.ts'), 'Now the decks.');
    expect(stateOf(builder)).toEqual([
      '- Done: 1 of 3 items of the todo list; 4 files changed (newest: d.ts, c.ts, b.ts); last commit “Add cards” (m3.0)',
      '- Next: Decks (then 1 more of the todo list)',
      '- Broken: bash: npm run lint → src/a.ts:3:1 error: no spaces (m4.0)',
      '- Last check: `npm test` → exit 0 (m4.1); d.ts, c.ts changed after it',
      '- Said last (m5): “Now the decks.”',
    ]);
    expect(stateOf(builder, 5).join('\n')).not.toContain('Said last');
  });

  it('names the newest request as next if the todo list has no open item', () => {
    const builder = new LogBuilder().user('Build it.').step(todo('[x] Cards'), write('a.ts'));
    expect(stateOf(builder)).toContain('- Next: the current request (m1); a.ts changed since it');
    builder.user('Now rename everything in the settings, please.');
    expect(stateOf(builder)).toContain('- Next: the current request (m3); no file has changed since it');
    expect(stateOf(builder)).toContain('- Broken: nothing that is known');
  });

  it('does not take a read of a file for a change', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(write('a.ts'))
      .step(bash('npm test'))
      .step(call('read', { input: { path: 'a.ts' }, output: 'x' }));
    expect(stateOf(builder)).toContain('- Last check: `npm test` → exit 0 (m3.0)');
  });
});
