import { withHelpers } from '../src/ledger/helper-files.ts';
import { createLedgerFold } from '../src/ledger/ledger-facts.ts';
import { foldMessage } from '../src/ledger/ledger-fold.ts';
import { stateLines } from '../src/ledger/state-section.ts';
import { call, type LogBuilder } from './log-fixtures.ts';

/** The lines of the state of a session. */
export function stateOf(builder: LogBuilder): string[] {
  const fold = createLedgerFold();
  for (const message of builder.messages) foldMessage(fold, message);
  return stateLines({ ...fold, files: withHelpers(fold.files, fold.commands) });
}

/** One of them, without its label. */
export function stateLine(
  builder: LogBuilder,
  label: 'Done' | 'Next' | 'Broken' | 'Last check' | 'Said last',
) {
  return stateOf(builder)
    .find((line) => line.startsWith(`- ${label}`))
    ?.replace(/^- [A-Z][a-z ]+: /, '');
}

export const bash = (command: string, exitCode = 0, output = '') =>
  call('bash', {
    input: { command },
    output: `${output}\n[exit code ${exitCode}]`,
    state: exitCode === 0 ? 'completed' : 'error',
    metadata: { ended: 'exit', exitCode },
  });
export const commit = (message: string, exitCode = 0, output = '') =>
  bash(`git add . && git commit -m "${message}"`, exitCode, output);
export const write = (path: string) =>
  call('write', { input: { path, content: 'x' }, output: `Created ${path}`, metadata: { created: true } });
export const todo = (...items: string[]) => call('todo', { input: { items: [] }, output: items.join('\n') });
