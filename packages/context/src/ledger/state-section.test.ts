import { describe, expect, it } from 'vitest';
import { call, LogBuilder } from '../../test/log-fixtures.ts';
import { countByClasses } from '../tokens.ts';
import { withHelpers } from './helper-files.ts';
import { buildLedger } from './ledger.ts';
import { createLedgerFold } from './ledger-facts.ts';
import { foldMessage } from './ledger-fold.ts';
import { stateLines } from './state-section.ts';

function stateOf(builder: LogBuilder): string[] {
  const fold = createLedgerFold();
  for (const message of builder.messages) foldMessage(fold, message);
  return stateLines({ ...fold, files: withHelpers(fold.files, fold.commands) });
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
  it('is empty only as long as nobody has asked for anything', () => {
    expect(stateOf(new LogBuilder())).toEqual([]);
    const builder = new LogBuilder().user('How does it work?');
    expect(stateOf(builder)).toEqual([
      '- Done: no file is changed so far',
      '- Next: “How does it work?” (m1); nothing was done since it',
      '- Broken: nothing that is known',
    ]);
    builder
      .step(call('read', { input: { path: 'a.ts' }, output: 'x' }))
      .step('It keeps all decks in one file, which it reads at the start.');
    expect(stateOf(builder)).toEqual([
      '- Done: “It keeps all decks in one file, which it reads at the start.” (m3); no file is changed so far; 1 file read',
      '- Next: nothing open that is known; the model reported in m3 on “How does it work?” (m1)',
      '- Broken: nothing that is known',
    ]);
  });

  it('shows what is done, what is next and what is broken', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(todo('[x] Cards', '[>] Decks', '[ ] Sync', '[-] Cloud'), write('src/a.ts'), write('src/b.ts'))
      .step(bash('git add . && git commit -m "Add cards"'))
      .step(bash('npm run lint', 1, 'src/a.ts:3:1 error: no spaces'), bash('npm test', 0))
      .step(
        'Done. The cards are **stored** now, each in its own file:\n\n- one list\n- one index\n\nNow let me do the decks.',
      )
      .step(write('src/c.ts'), write('src/d.ts'), 'Now I will add the decks to the list of all cards:');
    expect(stateOf(builder)).toEqual([
      '- Done: “The cards are stored now, each in its own file: one list. one index.” (m5); 1 of 3 items of the todo list; last commit “Add cards” (m3.0); 4 files changed (newest: d.ts, c.ts, b.ts)',
      '- Next: Decks (then 1 more of the todo list)',
      '- Broken: bash: npm run lint → src/a.ts:3:1 error: no spaces (m4.0)',
      '- Last check: `npm test` → ok (m4.1); d.ts, c.ts changed after it',
    ]);
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
    expect(stateOf(builder)[0]).toBe('- Done: before the request: a.ts changed');
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

  it('continues with a request while its turn has not ended, and tells files of one name apart', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(write('a/x.ts'), write('b/x.ts'))
      .step(bash('npm test'), 'I look at how the lists of cards are kept on the disk first.');
    expect(stateOf(builder)[0]).toBe(
      '- Done: “I look at how the lists of cards are kept on the disk first.” (m3); b/x.ts, a/x.ts changed',
    );
    expect(nextOf(builder.step(bash('npm test')))).toBe(
      'nothing open that is known; no file has changed since m4.0; compare with “Build it.” (m1)',
    );
    const asked = new LogBuilder()
      .user('Why?')
      .step(bash('ls'), 'I look at how the lists of cards are kept first.');
    expect(nextOf(asked)).toBe('continue with “Why?” (m1)');
  });

  it('waits for the answer to a question at the end, and names what is not committed', () => {
    const builder = new LogBuilder().user('Build it.').step(write('a.ts')).step(commit('Add a'));
    builder.step(write('b.ts')).user('Is it all there?');
    builder.step('All but the index of the cards is there now. Shall I add it to the list too?');
    expect(nextOf(builder)).toBe(
      "wait for the user's answer to “Shall I add it to the list too?” (m6); not committed: b.ts changed",
    );
    builder.user('No.').step(bash('ls'));
    expect(stateOf(builder).at(-1)).toContain('Said last (m6, before the request)');
  });

  it('closes a failure when the same command succeeds after another one, or another commit is made', () => {
    const builder = new LogBuilder().user('Build it.').step(bash('pnpm --filter a test', 1, 'Got: v14'));
    builder.step(bash('nvm use 20 && pnpm --filter a test'));
    expect(brokenOf(builder)).toBe('nothing that is known');
    builder.step(bash('git -C x add a', 128, 'fatal: no x')).step(bash('rtk git commit -m "Add a"'));
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
    expect(check()).toBe(
      '- Last check: `npm test` → failed, 2 failed, 4 passed (m3.0); no file changed after it',
    );
    expect(brokenOf(builder)).toContain('bash: npm test → Tests 2 failed | 4 passed');
    builder.step(bash('npm test | grep -E "error|warning"', 0, 'a line'));
    expect(check()).toContain('→ failed, 2 failed, 4 passed (m3.0)');
    expect(brokenOf(builder)).toContain('npm test');
    builder.step(bash('npm test | tail -2', 0, '✔ adds\n✖ saves'));
    expect(check()).toContain('→ failed (m5.0)');
    builder.step(bash('npm test | tail -2', 0, '✔ adds\n✔ saves'));
    expect(check()).toContain('→ ok (m6.0)');
    builder.step(bash('npm test | tail -1', 0, '6 passed'));
    expect(check()).toBe('- Last check: `npm test` → ok, 6 passed (m7.0); no file changed after it');
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
    expect(stateOf(builder)).toContain('- Last check: `npm test` → ok (m3.0); no file changed after it');
  });

  it('shows the newest tests, and another check after them', () => {
    const builder = new LogBuilder().user('Build it.').step(bash('pytest', 0, '== 142 passed in 3.1s =='));
    builder.step(bash('ruff check .'), bash('ruff check src'));
    expect(stateOf(builder)[3]).toBe(
      '- Last check: `pytest` → ok, 142 passed (m2.0), then `ruff check src` → ok (m3.1); no file changed after it',
    );
  });

  it('counts no scripts, copies and patches that the work made on its way', () => {
    const script = (name: string, exitCode = 0) =>
      bash(`cat > ${name} << 'EOF'\nimport app\nEOF\npython ${name}`, exitCode, 'KeyError: 1');
    const builder = new LogBuilder()
      .user('Mend it.')
      .step(call('read', { input: { path: 'src/app.py' }, output: 'x' }))
      .step(script('fix_it.py', 1), call('edit', { input: { path: 'src/app.py' }, output: 'Changed.' }))
      .step(bash('cp src/app.py src/app.py.bak'), write('my.patch'));
    expect(stateOf(builder)[0]).toBe('- Done: app.py changed');
    expect(brokenOf(builder)).toBe('bash: python fix_it.py → KeyError: 1 (m3.0)');
    builder.step(script('test_it.py'));
    expect(brokenOf(builder)).toBe('nothing that is known');
    expect(stateOf(builder)[3]).toContain('`python test_it.py` → ok (m5.0)');
    const tries = new LogBuilder().user('Why is it slow?');
    for (const name of ['a.py', 'b.py', 'c.py', 'd.py']) tries.step(script(name));
    expect(stateOf(tries)[0]).toBe('- Done: no project source changed, only 4 helper or temporary files');
    const files = buildLedger(builder.messages, { maxTokens: 3_000, count: countByClasses });
    expect(files).toContain('  helper files: test_it.py, my.patch, fix_it.py');
  });

  it('closes the failure of each program of a chain that succeeds, and of an installation before a good check', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(bash('go build ./...', 1, 'a.go:3: undefined: x'));
    builder.step(bash('go build ./... && go test ./...'));
    expect(brokenOf(builder)).toBe('nothing that is known');
    builder.step(bash('pip install x', 1, 'ERROR: no x'));
    expect(brokenOf(builder)).toContain('no x');
    builder.step(bash('pytest'));
    expect(brokenOf(builder)).toBe('nothing that is known');
  });

  const lineOf = (builder: LogBuilder, label: string) =>
    stateOf(builder).find((line) => line.startsWith(`- ${label}`));

  it('keeps the beginning, the names and the conclusion of a long report, in whole sentences', () => {
    const filler = 'The list of cards was then read once more from its beginning to its end. '.repeat(12);
    const builder = new LogBuilder()
      .user('Why is it slow?')
      .step(
        `The index is built twice. ${filler}The second time is in \`saveAll()\`. ${filler}One call can go.`,
      );
    const said = lineOf(builder, 'Said last') ?? '';
    expect(said).toMatch(
      /“The index is built twice\. …? ?.*The second time is in saveAll\(\)\. …? ?.*One call can go\.”$/,
    );
    expect(said.length).toBeLessThan(460);
  });

  it('says that no project source changed if only temporary files and files of the work itself did', () => {
    const builder = new LogBuilder()
      .user('Why does it fail?')
      .step(call('read', { input: { path: '/home/me/shop/app.py' }, output: 'x' }))
      .step(write('/tmp/try/a.py'), write('b.py'))
      .step(bash('rm b.py'));
    expect(stateOf(builder)[0]).toBe(
      '- Done: no project source changed, only 2 helper or temporary files; 1 file read',
    );
    const inside = new LogBuilder()
      .user('Mend it.')
      .step(
        call('edit', { input: { path: '/tmp/shop/app.py' }, output: 'Changed.' }),
        write('/tmp/shop/b.py'),
      );
    expect(stateOf(inside)[0]).toBe('- Done: b.py, app.py changed');
  });

  it('shows what changed since the request, what is older, and what is deleted', () => {
    const builder = new LogBuilder().user('Build it.').step(write('a.ts')).step(commit('Add a'));
    builder.user('Now clean up.').step(write('b.ts')).step(bash('rm old.ts'));
    expect(stateOf(builder)[0]).toBe(
      '- Done: last commit “Add a” (m3.0, before the request); b.ts changed; before the request: a.ts changed; old.ts deleted',
    );
  });

  it('names what the model wanted to do next, until a commit, a request or another text', () => {
    const builder = new LogBuilder()
      .user('Look at the shop.')
      .step('I’m reading the orders first.', bash('ls'));
    expect(nextOf(builder)).toBe(
      'continue after “I’m reading the orders first.” (m2), for the request in m1',
    );
    builder.step(bash('ls src'));
    builder.step(
      'The orders are fine, and nothing is left of them.\n\nNext steps:\n1. Check `stock.ts`\n2. Report',
    );
    expect(nextOf(builder)).toBe('“Next steps: Check stock.ts.” (m4), for the request in m1');
    builder.user('And the prices?').step(bash('ls'));
    expect(nextOf(builder)).toBe('continue with “And the prices?” (m5)');
    builder.step('Now I will mend the prices.', write('p.ts')).step(commit('Mend prices'));
    expect(nextOf(builder)).toContain('nothing open that is known');
  });

  it('shows a check as unverified if it ran no test, or if the model says so', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(bash('pytest', 0, 'collected 0 items\n\nno tests ran'));
    expect(lineOf(builder, 'Last check')).toContain('`pytest` → unverified, as no test ran (m2.0)');
    const told = new LogBuilder()
      .user('Build it.')
      .step(bash('go test ./...', 0, 'ok'))
      .step('The toolchain does not fit, so no code test executed.');
    expect(lineOf(told, 'Last check')).toContain('→ unverified, as no test ran (m2.0)');
  });

  it('closes a failure of a check when the same file passes with other options', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(bash('jest --config a/b.js src/x.test.ts', 1, 'Error: no root'));
    builder.step(bash('jest --ci src/x.test.ts'));
    expect(brokenOf(builder)).toBe('nothing that is known');
  });

  it.each([
    {
      of: 'a test',
      output: 'FAIL test/a.test.ts\nError: no reply\n1 failed',
      cause: 'Error: no reply [test/a.test.ts]',
    },
    {
      of: 'a program in Python',
      output:
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nKeyError: 1\n\nTraceback (most recent call last):\n  File "b.py", line 1\nValueError: no value',
      cause: 'ValueError: no value',
    },
    {
      of: 'a test of Go',
      output: '--- FAIL: TestA (0.00s)\n    a_test.go:7: got 1, want 2',
      cause: '--- FAIL: TestA (0.00s); a_test.go:7: got 1, want 2',
    },
    { of: 'a program that prints nothing', output: '', cause: 'failed, and printed no reason' },
  ])('shows the cause of the failure of $of', ({ output, cause }) => {
    const failed = call('bash', {
      input: { command: 'make' },
      output,
      state: 'error',
      metadata: { exitCode: 1 },
    });
    expect(brokenOf(new LogBuilder().user('Build it.').step(failed))).toContain(`bash: make → ${cause}`);
  });
});
