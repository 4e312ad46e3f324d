import { handleOf } from '@longhaul/protocol';
import { cutMiddle } from '../cut-middle.ts';
import { errorLine } from '../ledger/event-sections.ts';
import { withHelpers } from '../ledger/helper-files.ts';
import { CHANGES, isChanged } from '../ledger/is-changed.ts';
import type { LedgerFold } from '../ledger/ledger-facts.ts';
import { rankNames } from '../ledger/rank-names.ts';
import { stateLines } from '../ledger/state-section.ts';
import { todoItems } from '../ledger/todo-lines.ts';
import { firstUserMessage } from '../log.ts';
import type { NarrativeFacts } from '../narrative.ts';
import type { Sections } from './sections.ts';

/**
 * Fills the six sections from the facts. Reasons cannot be computed, so the previous decisions stay, and what a model
 * wrote of the state before.
 */
export function factSections(facts: NarrativeFacts, previous: Partial<Sections>): Sections {
  const { fold } = facts;
  return {
    'Original Task': originalTask(facts),
    'Completed Work': completedWork(fold),
    'Key Technical Decisions':
      previous['Key Technical Decisions'] ?? 'Not recorded: no model wrote this summary.',
    'Current State': currentState(facts, earlierState(previous['Current State'])),
    'Pending Work': pendingWork(fold),
    'Errors & Resolutions': errors(fold),
  };
}

/** Share of the summary that the task may take. The view shows the whole task before the summary. */
const TASK_SHARE = 0.25;

function originalTask({ messages, maxTokens, count }: NarrativeFacts): string {
  const first = firstUserMessage(messages);
  if (first === undefined) return 'None.';
  const text = first.parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .trim();
  const tokens = count(text);
  const most = maxTokens * TASK_SHARE;
  if (tokens <= most) return text;
  return cutMiddle(text, Math.floor((text.length * most) / tokens), handleOf(first.sequence)).text;
}

const MAX_FILES = 20;
const NAMES_PER_FILE = 4;

function completedWork(fold: LedgerFold): string {
  const changed = [...fold.files.values()].filter(isChanged).reverse().slice(0, MAX_FILES);
  if (changed.length === 0) return 'No file has changed so far.';
  const ranked = rankNames(fold.names).filter(({ name }) => !name.includes('/'));
  const rows = changed.map(({ key, path, actions, handle }) => {
    const names = ranked.filter(({ seen }) => seen.file === key).slice(0, NAMES_PER_FILE);
    const cells = [
      path,
      CHANGES.filter((action) => actions.has(action)).join(', '),
      [names.map(({ name }) => name).join(', '), handle].filter((text) => text !== '').join('; '),
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| File | Action | Description |', '| --- | --- | --- |', ...rows].join('\n');
}

function currentState({ fold }: NarrativeFacts, earlier: string): string {
  const open = [...fold.errors.values()].filter((error) => !error.resolved).length;
  return [
    ...stateLines({ ...fold, files: withHelpers(fold.files, fold.commands) }),
    `- ${open} open ${open === 1 ? 'error' : 'errors'}`,
    ...(earlier === '' ? [] : [`${EARLIER}${earlier}`]),
  ].join('\n');
}

const EARLIER = '- Earlier: ';
const COMPUTED = /^- \d+ open errors?$/m;

/** Returns the part of a state that a model wrote. */
function earlierState(state = ''): string {
  const start = state.indexOf(`\n${EARLIER}`);
  if (start !== -1) return state.slice(start + EARLIER.length + 1);
  return COMPUTED.test(state) ? '' : state;
}

function pendingWork({ todo }: LedgerFold): string {
  const { done, active, open } = todoItems(todo);
  const items = [
    ...[...active, ...open].map((item) => `- [ ] ${item}`),
    ...done.map((item) => `- [x] ${item}`),
  ];
  return items.length === 0 ? '- [ ] Finish the original task; no todo list was kept.' : items.join('\n');
}

const MAX_ERRORS = 8;

function errors(fold: LedgerFold): string {
  const newest = [...fold.errors.values()].reverse();
  const open = newest.filter(({ resolved }) => !resolved).map((error) => errorLine(error, '[open] '));
  const resolved = newest.filter((error) => error.resolved).map((error) => errorLine(error, '[resolved] '));
  const lines = [...open, ...resolved].slice(0, MAX_ERRORS);
  return lines.length === 0 ? 'None.' : lines.join('\n');
}
