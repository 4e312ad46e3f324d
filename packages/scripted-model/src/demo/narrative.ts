import type { ChatMessage } from '@longhaul/protocol';
import { textOf } from '../messages.ts';
import { APP_FILES } from './app-files.ts';
import { testCounts } from './outcomes.ts';
import { PLAN } from './plan.ts';
import type { Seen } from './seen.ts';

/**
 * Returns the narrative of a compaction: the reasons for decisions and the state of the work, which a ledger does not
 * have. It does not repeat the checklist, so that a demonstration shows when the ledger has lost it.
 */
export function narrate(messages: readonly ChatMessage[], seen: Seen): string {
  const text = messages.map(everything).join('\n');
  const files = APP_FILES.filter((path) => text.includes(path));
  const counts = [...text.matchAll(/^\W*tests \d+$[\s\S]*?^\W*fail \d+$/gm)].at(-1)?.[0];
  const totals = counts === undefined ? undefined : testCounts(counts);
  return [
    'The user wants a flashcard application for the command line: SM-2 scheduling, SQLite, plain JavaScript for Node 24.',
    `I work through a plan of ${seen.todo?.size ?? PLAN.length} items, one file at a time, and run the tests after each.${progress(seen)}`,
    files.length === 0 ? 'No file has been written yet.' : `Files in play so far: ${files.join(', ')}.`,
    ...DECISIONS.filter(({ about }) => text.includes(about)).map(({ text: decision }) => decision),
    totals === undefined
      ? ''
      : `The last test run that I see had ${totals.passed} passing and ${totals.failed} failing tests.`,
    'I continue with the item of the plan that is in progress, which the todo list shows. Files already created must not be written again.',
  ]
    .filter((line) => line !== '')
    .join(' ');
}

const DECISIONS = [
  {
    about: 'src/dates.js',
    text: 'Days are ISO text in `src/dates.js`, computed in UTC, so that no time zone can change them.',
  },
  {
    about: 'src/sm2.js',
    text: 'Scheduling is made of pure functions; the easiness factor is kept to two decimals so that binary fractions do not add a day when intervals are rounded up, and the interval uses the count of repetitions after the answer.',
  },
  {
    about: 'src/store.js',
    text: 'The store is one class around one SQLite file; a review changes the card and adds its row in one transaction, and cards are due on or before the requested day.',
  },
  {
    about: 'src/commands.js',
    text: 'Commands get the store, the day and a print function; wrong usage ends with one line and exit code 2.',
  },
];

function progress({ todo }: Seen): string {
  if (todo === undefined) return '';
  const done = [...todo.values()].filter((status) => status === 'done').length;
  return ` ${done} of them are done.`;
}

/** Returns the text of a message with the arguments of its calls, which can contain the only mention of a file. */
function everything(message: ChatMessage): string {
  const calls = (message.tool_calls ?? []).map(({ function: call }) => call.arguments);
  return [textOf(message), ...calls].join('\n');
}
