import { describe, expect, it } from 'vitest';
import { call, LogBuilder } from '../../test/log-fixtures.ts';
import { bash, commit, stateLine, write } from '../../test/state-fixtures.ts';

const brokenOf = (builder: LogBuilder) => stateLine(builder, 'Broken');
const build = () => new LogBuilder().user('Build it.');
const UNBROKEN = /^(?:nothing|not known)/;

describe('what is broken', () => {
  it('is unknown if nothing was checked since the changes', () => {
    const builder = build();
    expect(brokenOf(builder)).toBe('nothing that is known; no check was run');
    builder.step(write('a.ts'));
    expect(brokenOf(builder)).toBe('not known: no check was run on the changes');
    builder.step(bash('npm test'));
    expect(brokenOf(builder)).toBe('nothing; the last check passed (m3.0)');
    builder.step(write('b.ts'));
    expect(brokenOf(builder)).toBe('not known: b.ts changed since the last check (m3.0)');
  });

  it('begins with a failed check, and says what may be mended', () => {
    const builder = build()
      .step(bash('npm test', 1, 'src/a.ts(3,1): error TS2304: no x'))
      .step(bash('pip install x', 1, 'ERROR: time-out'));
    expect(brokenOf(builder)).toBe('bash: npm test → src/a.ts(3,1): error TS2304: no x (m2.0); 1 more below');
    builder.step(write('src/a.ts'));
    expect(brokenOf(builder)).toBe('bash: pip install x → ERROR: time-out (m3.0); 1 more below');
    const mended = build()
      .step(bash('npm test', 1, 'src/a.ts(3,1): error TS2304: no x'))
      .step(write('src/a.ts'));
    expect(brokenOf(mended)).toBe(
      'bash: npm test → src/a.ts(3,1): error TS2304: no x (m2.0); perhaps mended: a.ts changed after it (m3.0), not checked since',
    );
    mended.step(commit('Mend a')).user('Now the decks.');
    expect(brokenOf(mended)).toMatch(UNBROKEN);
  });

  it('takes the word of the model for what a check showed', () => {
    const older = build()
      .step(bash('npm test', 1, 'Error: no x'))
      .step('That failure is pre-existing.', bash('ls'));
    expect(brokenOf(older)).toContain('(m2.0); no fault of the work, says m3');
    const passes = build()
      .step(bash('npm run check', 1, 'error: no x'))
      .step(bash('npm run check | head -30', 0, 'Checked 3 files.'));
    expect(brokenOf(passes)).toContain('perhaps mended: it ran again (m3.0), unverified');
    expect(brokenOf(passes.step('All checks pass.', bash('ls')))).toMatch(UNBROKEN);
  });

  it('closes a failure when another line runs the same program on the same thing', () => {
    const builder = build().step(
      bash('pnpm --filter api exec jest --config api/jest.js --ci shares', 1, 'Error: no root'),
    );
    expect(brokenOf(builder.step(bash('npx jest --ci shares')))).toMatch(UNBROKEN);
    const chain = build().step(bash('ruff check src', 1, 'Found 1 error.'));
    expect(brokenOf(chain.step(bash('ruff check src && pytest')))).toMatch(UNBROKEN);
  });

  it('forgets what the user cancelled, failed edits of an earlier turn, and questions', () => {
    const cancelled = call('bash', {
      input: { command: 'git add a' },
      output: '[Operation Cancelled]',
      state: 'error',
    });
    const edit = call('edit', { input: { path: 'a.ts' }, output: 'No such text.', state: 'error' });
    const question = call('AskUserQuestion', { state: 'error' });
    const absent = bash('rm .git/index.lock', 1, 'rm: .git/index.lock: No such file or directory');
    expect(brokenOf(build().step(cancelled, question, absent))).toMatch(UNBROKEN);
    expect(brokenOf(build().step(edit))).toContain('No such text.');
    expect(stateLine(build().step(write('a.ts'), edit), 'Last check')).toBeUndefined();
    expect(brokenOf(build().step(edit).user('And the decks?'))).toMatch(UNBROKEN);
  });

  it('takes no call that the user refused for broken or for a command that ran', () => {
    const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    const refused = call('Bash', { input: { command: 'make' }, output: refusal, state: 'error' });
    const builder = new LogBuilder().user('Build it.').step(write('a.ts'), refused);
    expect(brokenOf(builder)).toMatch(UNBROKEN);
  });

  it('closes a failure when the same command succeeds after another one, or another commit is made', () => {
    const builder = new LogBuilder().user('Build it.').step(bash('pnpm --filter a test', 1, 'Got: v14'));
    builder.step(bash('nvm use 20 && pnpm --filter a test'));
    expect(brokenOf(builder)).toMatch(UNBROKEN);
    builder.step(bash('git -C x add a', 128, 'fatal: no x')).step(bash('rtk git commit -m "Add a"'));
    expect(brokenOf(builder)).toMatch(UNBROKEN);
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
    builder.step(bash('pnpm --filter a test && pnpm --filter b test'));
    builder.step(commit('x', 1, 'fatal: bad pathspec')).step(bash(long, 128, 'error: 1Password'));
    expect(brokenOf(builder)).toBe(
      'bash: git add src/shares/service.ts src/shares/servic… && git commit -m "Mend shares" → error: 1Password (m5.0)',
    );
  });

  it('takes a failed rebase for no error after a commit and another request', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(write('a.ts'), bash('git rebase main', 1, 'error: no'));
    builder.step(commit('Add a'));
    expect(brokenOf(builder)).toBe('bash: git rebase main → error: no (m2.1)');
    expect(brokenOf(builder.user('Now add a page for the settings.'))).toMatch(UNBROKEN);
  });

  it('takes a failed patch for no error once its file has changed', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(bash('patch -p1 < fix.patch', 1, 'patching file src/a.ts\nHunk #1 FAILED at 3.'));
    expect(brokenOf(builder)).toBe('bash: patch -p1 < fix.patch → Hunk #1 FAILED at 3. [src/a.ts] (m2.0)');
    builder.step(write('src/a.ts'));
    expect(brokenOf(builder)).toMatch(UNBROKEN);
  });

  it('closes the failure of each program of a chain that succeeds, and of an installation before a good check', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(bash('go build ./...', 1, 'a.go:3: undefined: x'));
    builder.step(bash('go build ./... && go test ./...'));
    expect(brokenOf(builder)).toMatch(UNBROKEN);
    builder.step(bash('pip install x', 1, 'ERROR: no x'));
    expect(brokenOf(builder)).toContain('no x');
    builder.step(bash('pytest'));
    expect(brokenOf(builder)).toMatch(UNBROKEN);
  });

  it('closes a failure of a check when the same file passes with other options', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(bash('jest --config a/b.js src/x.test.ts', 1, 'Error: no root'));
    builder.step(bash('jest --ci src/x.test.ts'));
    expect(brokenOf(builder)).toMatch(UNBROKEN);
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
    expect(brokenOf(build().step(failed))).toContain(`bash: make → ${cause}`);
  });
});
