import { describe, expect, it } from 'vitest';
import { call, LogBuilder } from '../../test/log-fixtures.ts';
import { bash, commit, stateLine, stateOf, todo, write } from '../../test/state-fixtures.ts';
import { countByClasses } from '../tokens.ts';
import { buildLedger } from './ledger.ts';

describe('stateLines', () => {
  it('is empty only as long as nobody has asked for anything', () => {
    expect(stateOf(new LogBuilder())).toEqual([]);
    const builder = new LogBuilder().user('How does it work?');
    expect(stateOf(builder)).toEqual([
      '- Done: no file is changed so far',
      '- Next: “How does it work?” (m1); nothing was done since it',
      '- Broken: nothing that is known; no check was run',
    ]);
    builder
      .step(call('read', { input: { path: 'a.ts' }, output: 'x' }))
      .step('It keeps all decks in one file, which it reads at the start.');
    expect(stateOf(builder)).toEqual([
      '- Done: no file is changed so far',
      '- Next: wait for the user; the model reported in m3 on “How does it work?” (m1)',
      '- Broken: nothing that is known; no check was run',
      '- Said last (m3): “It keeps all decks in one file, which it reads at the start.”',
    ]);
  });

  it('shows what is done, what is next and what is broken', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(todo('[x] Cards', '[>] Decks', '[ ] Sync', '[-] Cloud'), write('src/a.ts'), write('src/b.ts'))
      .step(bash('git add . && git commit -m "Add cards"'))
      .step(bash('npm run lint', 1, 'src/a.ts:3:1 error: no spaces'), bash('npm test', 0))
      .step(
        'Done. The cards are **stored** now, each in its own file. There is one list.\n\nNow let me do the decks.',
      )
      .step(write('src/c.ts'), write('src/d.ts'), 'Now I will add the decks to the list of all cards:');
    expect(stateOf(builder)).toEqual([
      '- Done: “The cards are stored now, each in its own file.” (m5); 1 of 3 items of the todo list; last commit “Add cards” (m3.0); 4 files changed (newest: d.ts, c.ts, b.ts)',
      '- Next: Decks (then 1 more of the todo list); begun: d.ts, c.ts changed since the list was written',
      '- Broken: bash: npm run lint → src/a.ts:3:1 error: no spaces (m4.0)',
      '- Last check: `npm test` → ok (m4.1); d.ts, c.ts changed after it',
      '- Said last (m5): “The cards are stored now, each in its own file. There is one list.”',
    ]);
  });

  it('judges a check that is piped into a filter by what it printed, or not at all', () => {
    const builder = new LogBuilder().user('Build it.').step(write('a.ts'), bash('npm run lint'));
    const check = () => stateOf(builder).find((line) => line.startsWith('- Last check: '));
    builder.step(bash('npm test 2>&1 | tail -3', 0, 'Tests  2 failed | 4 passed'));
    expect(check()).toBe('- Last check: `npm test` → failed, 2 failed, 4 passed (m3.0)');
    expect(stateLine(builder, 'Broken')).toContain('bash: npm test → Tests 2 failed | 4 passed');
    builder.step(bash('npm test | grep -E "error|warning"', 0, 'a line'));
    expect(check()).toContain('→ failed, 2 failed, 4 passed (m3.0)');
    expect(stateLine(builder, 'Broken')).toContain('npm test');
    builder.step(bash('npm test | tail -2', 0, '✔ adds\n✖ saves'));
    expect(check()).toContain('→ failed (m5.0)');
    builder.step(bash('npm test | tail -2', 0, '✔ adds\n✔ saves'));
    expect(check()).toContain('→ ok (m6.0)');
    builder.step(bash('npm test | tail -1', 0, '6 passed'));
    expect(check()).toBe('- Last check: `npm test` → ok, 6 passed (m7.0)');
    expect(stateLine(builder, 'Broken')).toMatch(/^nothing/);
  });

  it('does not take a read of a file for a change', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(write('a.ts'))
      .step(bash('npm test'))
      .step(call('read', { input: { path: 'a.ts' }, output: 'x' }));
    expect(stateOf(builder)).toContain('- Last check: `npm test` → ok (m3.0)');
  });

  it('shows the newest tests, and another check after them', () => {
    const builder = new LogBuilder().user('Build it.').step(bash('pytest', 0, '== 142 passed in 3.1s =='));
    builder.step(bash('ruff check .'), bash('ruff check src'));
    expect(stateOf(builder)[3]).toBe(
      '- Last check: `pytest` → ok, 142 passed (m2.0), then `ruff check src` → ok (m3.1)',
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
    expect(stateLine(builder, 'Broken')).toBe('bash: python fix_it.py → KeyError: 1 (m3.0)');
    builder.step(script('test_it.py'));
    expect(stateLine(builder, 'Broken')).toMatch(/^not known/);
    expect(stateLine(builder, 'Last check')).toBeUndefined();
    const tries = new LogBuilder().user('Why is it slow?');
    for (const name of ['a.py', 'b.py', 'c.py', 'd.py']) tries.step(script(name));
    expect(stateOf(tries)[0]).toBe('- Done: no project source changed, only helper or temporary files (4)');
    const files = buildLedger(builder.messages, { maxTokens: 3_000, count: countByClasses });
    expect(files).toContain('  helper files: test_it.py, my.patch, fix_it.py');
  });

  it('keeps the beginning and the conclusion of a long report, in whole sentences', () => {
    const filler = 'The list of cards was then read once more from its beginning to its end. '.repeat(12);
    const builder = new LogBuilder()
      .user('Why is it slow?')
      .step(
        `The index is built twice. ${filler}The second time is in \`saveAll()\`. ${filler}One call can go.`,
      );
    const said = stateLine(builder, 'Said last') ?? '';
    expect(said).toMatch(/“The index is built twice\..* One call can go\.”$/);
    expect(said.length).toBeLessThan(460);
  });

  it('says that no project source changed if only temporary files and files of the work itself did', () => {
    const builder = new LogBuilder()
      .user('Why does it fail?')
      .step(call('read', { input: { path: '/home/me/shop/app.py' }, output: 'x' }))
      .step(write('/tmp/try/a.py'), write('b.py'))
      .step(bash('rm b.py'));
    expect(stateOf(builder)[0]).toBe('- Done: no project source changed, only helper or temporary files (2)');
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
      '- Done: b.ts changed; old.ts deleted; before the request: last commit “Add a” (m3.0), a.ts changed',
    );
  });

  it('shows the results that were stated since the request, and no plans and remarks', () => {
    const task = call('task', {
      input: { prompt: 'Look.' },
      output: 'The root cause is the cache of decks.',
    });
    const builder = new LogBuilder()
      .user('Where is the code of decks.ts used? Commit and push the cards.')
      .step('Added the index of the cards.', write('decks.ts'), write('a.ts'), write('b.ts'), write('c.ts'))
      .step('All 12 tests pass.', task)
      .step('They are still running. I will wait for them.', bash('git push origin main'))
      .step('All 14 tests pass. This should not change the decks.', bash('ls'));
    expect(stateLine(builder, 'Done')).toBe(
      '“All 14 tests pass.” (m5); “The root cause is the cache of decks.” (m3.1); “Added the index of the cards.” (m2); `git push origin main` (m4.1); 4 files changed (newest: decks.ts, c.ts, b.ts)',
    );
    expect(stateLine(builder.user('Now the decks.'), 'Done')).toBe(
      'nothing yet since the request (m6); before the request: 4 files changed (newest: c.ts, b.ts, a.ts)',
    );
  });

  it('counts no file as changed that the model has reverted', () => {
    const builder = new LogBuilder().user('Build it.').step(write('a.ts'), write('b.ts'));
    builder.step('Reverted `b.ts` to its original state.', bash('ls'));
    expect(stateLine(builder, 'Done')).toContain('; a.ts changed');
  });

  it('shows a check as unverified if it ran no test, or if the model says so', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step(bash('pytest', 0, 'collected 0 items\n\nno tests ran'));
    expect(stateLine(builder, 'Last check')).toContain('`pytest` → unverified, as no test ran (m2.0)');
    const told = new LogBuilder()
      .user('Build it.')
      .step(bash('go test ./...', 0, 'ok'))
      .step('The toolchain does not fit, so no code test executed.');
    expect(stateLine(told, 'Last check')).toContain('→ unverified, as no test ran (m2.0)');
  });
});
