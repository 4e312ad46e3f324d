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
      '- Last check: `npm test` → ok (m4.1); d.ts, c.ts changed after it',
      '- Said last (m5): “Now the decks.”',
    ]);
    expect(stateOf(builder, 5).join('\n')).not.toContain('Said last');
  });

  const nextOf = (builder: LogBuilder) =>
    stateOf(builder)
      .find((line) => line.startsWith('- Next: '))
      ?.slice('- Next: '.length);
  const brokenOf = (builder: LogBuilder) =>
    stateOf(builder)
      .find((line) => line.startsWith('- Broken: '))
      ?.slice('- Broken: '.length);
  const commit = (message: string, exitCode = 0, output = '') =>
    bash(`git add . && git commit -m "${message}"`, exitCode, output);

  it('names the step that failed last, then what is not checked or committed, then nothing', () => {
    const builder = new LogBuilder().user('Build it.').step(write('a.ts'));
    expect(nextOf(builder)).toBe('check: a.ts changed, for “Build it.” (m1)');
    builder.step(bash('npm test', 1, 'Error: no a'));
    expect(nextOf(builder)).toBe(
      'repeat or mend the last step, which failed: bash: npm test (m3.0), for “Build it.” (m1)',
    );
    builder.step(bash('npm test')).step(commit('Add a')).step(write('b.ts'));
    expect(nextOf(builder)).toBe(
      'check and commit: b.ts changed since the last commit (m5.0), for “Build it.” (m1)',
    );
    builder.step(bash('npm test')).step(commit('Add b'));
    expect(nextOf(builder)).toBe(
      'nothing open that is known; no file has changed since m8.0; compare with “Build it.” (m1)',
    );
  });

  it('names the newest message that asks for something, with what it answers, and no thanks', () => {
    const builder = new LogBuilder().user('Build it.').step(todo('[x] Cards', '[x] Decks'), write('a.ts'));
    builder.user('Now rename everything in the settings, please.');
    expect(nextOf(builder)).toBe(
      '“Now rename everything in the settings, please.” (m3); nothing was done since it',
    );
    expect(stateOf(builder)[0]).toBe('- Done: a.ts changed');
    builder.step('Shall I commit too?').user('just keep going');
    expect(nextOf(builder)).toBe(
      '“just keep going” to “Shall I commit too?” (m5); nothing was done since it',
    );
    builder.step(commit('Rename')).user('Excellent work, thank you!');
    expect(nextOf(builder)).toBe('nothing open; the user only says thanks (m7)');
  });

  it('names the items of a list that is older than the newest request after this', () => {
    const builder = new LogBuilder().user('Build it.').step(todo('[x] Cards', '[>] Decks'));
    builder.user('First fix the colours.');
    expect(nextOf(builder)).toBe('“First fix the colours.” (m3); open in the older todo list: Decks');
  });

  it('takes no call that the user refused for broken or for a command that ran', () => {
    const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    const refused = call('Bash', { input: { command: 'make' }, output: refusal, state: 'error' });
    const builder = new LogBuilder().user('Build it.').step(write('a.ts'), refused);
    expect(brokenOf(builder)).toBe('nothing that is known');
  });

  it('shows one error for each cause, with the line that tells it and the end of the line that failed', () => {
    const node = 'Unsupported engine\nExpected version: >=20.0.0\nGot: v14.16.0';
    const builder = new LogBuilder()
      .user('Build it.')
      .step(bash('pnpm --filter a test', 1, node), bash('pnpm --filter b test', 1, node));
    expect(brokenOf(builder)).toBe(
      'bash: pnpm --filter b test → Expected version: >=20.0.0; Got: v14.16.0 (m2.1)',
    );
    const long = `cd /home/me/shop && git add ${'src/shares/service.ts '.repeat(6)} && git commit -m "Mend shares"`;
    builder.step(commit('x', 1, 'fatal: bad pathspec')).step(bash(long, 128, 'error: 1Password'));
    expect(brokenOf(builder)).toBe(
      'bash: git add src/shares/service.ts src/shares/servic… && git commit -m "Mend shares" → error: 1Password (m4.0); 1 more below',
    );
  });

  it('judges a check that is piped into a filter by what it printed, or not at all', () => {
    const builder = new LogBuilder().user('Build it.').step(write('a.ts'), bash('npm run lint'));
    const check = () => stateOf(builder).find((line) => line.startsWith('- Last check: '));
    builder.step(bash('npm test 2>&1 | tail -3', 0, 'Tests  2 failed | 4 passed'));
    expect(check()).toBe('- Last check: `npm test` → failed (m3.0)');
    expect(brokenOf(builder)).toContain('bash: npm test → Tests 2 failed | 4 passed');
    builder.step(bash('npm test | grep -E "error|warning"', 0, 'a line'));
    expect(check()).toContain('→ failed (m3.0)');
    expect(brokenOf(builder)).toContain('npm test');
    builder.step(bash('npm test | tail -1', 0, '6 passed'));
    expect(check()).toBe('- Last check: `npm test` → ok (m5.0)');
    expect(brokenOf(builder)).toBe('nothing that is known');
  });

  it('takes a failed rebase for no error after a commit and another request', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(write('a.ts'), bash('git rebase main', 1, 'error: no'));
    builder.step(commit('Add a'));
    expect(brokenOf(builder)).toBe('bash: git rebase main → error: no (m2.1)');
    expect(brokenOf(builder.user('Now add a page for the settings.'))).toBe('nothing that is known');
  });

  it('takes a failed patch for no error once its file has changed', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(bash('patch -p1 < fix.patch', 1, 'patching file src/a.ts\nHunk #1 FAILED at 3.'));
    expect(brokenOf(builder)).toBe('bash: patch -p1 < fix.patch → Hunk #1 FAILED at 3. [src/a.ts] (m2.0)');
    builder.step(write('src/a.ts'));
    expect(brokenOf(builder)).toBe('nothing that is known');
  });

  it('does not take a read of a file for a change', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(write('a.ts'))
      .step(bash('npm test'))
      .step(call('read', { input: { path: 'a.ts' }, output: 'x' }));
    expect(stateOf(builder)).toContain('- Last check: `npm test` → ok (m3.0)');
  });
});
