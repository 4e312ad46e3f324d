import { describe, expect, it } from 'vitest';
import { call, LogBuilder } from '../../test/log-fixtures.ts';
import { bash, commit, stateLine, todo, write } from '../../test/state-fixtures.ts';

const nextOf = (builder: LogBuilder) => stateLine(builder, 'Next');
const build = () => new LogBuilder().user('Build it.');

describe('the next step', () => {
  it('is nothing if the user only says thanks', () => {
    const builder = build().step(commit('Rename')).user('Excellent work, thank you!');
    expect(nextOf(builder)).toBe('nothing open; the user only says thanks (m3)');
  });

  it('mends the step that failed last', () => {
    expect(
      nextOf(
        build()
          .step(write('a.ts'))
          .step(bash('npm test', 1, 'Error: no a')),
      ),
    ).toBe('repeat or mend the last step, which failed: bash: npm test (m3.0), for “Build it.” (m1)');
  });

  it('waits for the answer to a question at the end, and names what is not committed', () => {
    const builder = build().step(write('a.ts')).step(commit('Add a'));
    builder.step(write('b.ts')).user('Is it all there?');
    builder.step('All but the index of the cards is there now. Shall I add it to the list too?');
    expect(nextOf(builder)).toBe(
      "wait for the user's answer to “Shall I add it to the list too?” (m6); not committed: b.ts",
    );
  });

  it('waits for a task in the background', () => {
    const task = call('task', {
      input: { prompt: 'Look for dead code.' },
      output: 'Started.',
      metadata: { subtask: { sessionId: 's1', agent: 'scout', state: 'running', isBackground: true } },
    });
    expect(nextOf(build().step(task))).toContain('wait for the result of');
  });

  it('waits for the user after a report, with what it says that comes next', () => {
    const builder = build().step(bash('ls src'));
    builder.step(
      'The orders are fine, and nothing is left of them.\n\nNext steps:\n1. Check `stock.ts`\n2. Report',
    );
    expect(nextOf(builder)).toBe(
      'wait for the user; the model reported in m3 on “Build it.” (m1), and says “Next steps: Check stock.ts.”',
    );
  });

  it('is what the model says that it wants to do', () => {
    const builder = build().step('I’m reading the orders first.', bash('ls'));
    expect(nextOf(builder)).toBe(
      'continue after “I’m reading the orders first.” (m2), for the request in m1',
    );
    builder.user('And the prices?').step(bash('ls'));
    expect(nextOf(builder)).toBe('continue with “And the prices?” (m3)');
  });

  it('says how far a stated step has come', () => {
    const builder = build().step('Let me mend the prices.', write('p.ts'), bash('npm test'));
    expect(nextOf(builder)).toBe(
      'continue; “Let me mend the prices.” (m2) was begun: p.ts changed, `npm test` → ok (m2.2), for the request in m1',
    );
    expect(nextOf(builder.step(commit('Mend prices')))).toBe(
      'continue with “Build it.” (m1), or report; no file has changed since m3.0',
    );
  });

  it('is the newest request, with what it answers, as long as nothing was done for it', () => {
    const builder = build().step(todo('[x] Cards', '[x] Decks'), write('a.ts'));
    builder.user('Now rename everything in the settings, please.');
    expect(nextOf(builder)).toBe(
      '“Now rename everything in the settings, please.” (m3); nothing was done since it',
    );
    builder.step('Shall I commit too?').user('just keep going');
    expect(nextOf(builder)).toBe(
      '“just keep going” to “Shall I commit too?” (m5); nothing was done since it',
    );
  });

  it('checks or commits what has changed', () => {
    const builder = build().step(write('a.ts'));
    expect(nextOf(builder)).toBe('check: a.ts changed, for “Build it.” (m1)');
    builder.step(bash('npm test')).step(commit('Add a')).step(write('b.ts'));
    expect(nextOf(builder)).toBe('check: b.ts changed, for “Build it.” (m1)');
    expect(nextOf(builder.step(bash('npm test')))).toBe(
      'report or commit: b.ts changed since the last commit (m4.0), for “Build it.” (m1)',
    );
  });

  it('continues or reports if nothing is left to check or to commit', () => {
    const builder = build().step(write('a.ts')).step(bash('npm test'));
    expect(nextOf(builder)).toBe('continue with “Build it.” (m1), or report; no file has changed since m3.0');
    expect(nextOf(build().step(bash('ls')))).toBe('continue with “Build it.” (m1)');
  });

  it('is the item of the todo list in progress, with what has changed since', () => {
    const builder = build().step(todo('[x] Cards', '[>] Decks', '[ ] Sync'));
    expect(nextOf(builder)).toBe('Decks (then 1 more of the todo list)');
    builder.step(write('src/deck.ts'));
    expect(nextOf(builder)).toBe(
      'Decks (then 1 more of the todo list); begun: deck.ts changed since the list was written',
    );
    builder.user('First fix the colours.');
    expect(nextOf(builder)).toBe(
      '“First fix the colours.” (m4); nothing was done since it; open in the older todo list: Decks (then 1 more of the todo list)',
    );
  });
});
