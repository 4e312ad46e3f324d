import { expect, test } from 'vitest';
import { call, LogBuilder } from '../../test/log-fixtures.ts';
import { countByClasses } from '../tokens.ts';
import { buildLedger } from './ledger.ts';

const bash = (command: string, exitCode = 0) =>
  call('bash', {
    input: { command },
    output: `[exit code ${exitCode}]`,
    state: exitCode === 0 ? 'completed' : 'error',
    metadata: { ended: 'exit', exitCode },
  });
const write = (path: string) => call('write', { input: { path, content: 'x' }, output: `Created ${path}` });

function doneIn(builder: LogBuilder, visibleFrom?: number): string[] {
  const ledger = buildLedger(builder.messages, { maxTokens: 3_000, count: countByClasses, visibleFrom });
  const [, section = ''] = ledger.split('### Done so far, newest first\n');
  return section.split('\n\n')[0]?.split('\n') ?? [];
}

test('lists commits, and what the model said at the end of turns that changed files', () => {
  const builder = new LogBuilder()
    .user('Add decks.')
    .step('I look first.', bash('ls'))
    .step(write('src/decks.ts'))
    .step(bash('git commit -am "Add decks"'))
    .step('## Result\n\nThe decks are **stored** in `src/decks.ts`. All tests pass.')
    .user('How does it work?')
    .step('It keeps a list of decks, which is sorted by their names.')
    .user('Rename it to piles then, everywhere.')
    .step(write('src/piles.ts'))
    .step('Now I run the tests:')
    .user('Stop, name it stacks instead of piles.')
    .step(bash('git commit -m "Does not apply"', 1));
  expect(doneIn(builder)).toEqual([
    '- “The decks are stored in src/decks.ts. All tests pass.” (m5)',
    '- commit: Add decks (m4.0)',
  ]);
  expect(doneIn(builder, 5)).toEqual(['- commit: Add decks (m4.0)']);
});

test('writes what happened to many files of a folder in one call once', () => {
  const olds = Array.from({ length: 9 }, (_, index) => `old/r${index}.md`);
  const builder = new LogBuilder().user('Tidy up.').step(bash(`rm ${olds.join(' ')} old/keep.txt`));
  const ledger = buildLedger(builder.messages, { maxTokens: 3_000, count: countByClasses });
  expect(ledger).toMatch(/old\/\n {2}deleted in m2\.0: (?:[\w.]+, ){6}and 4 more$/m);
});
