import type { TokenCounter } from '../tokens.ts';
import { causeOf, doubtText } from './broken-text.ts';
import { outcomeOf } from './command-outcome.ts';
import { shortLine } from './command-work.ts';
import { helperRuns } from './helper-files.ts';
import { isChanged } from './is-changed.ts';
import type { CommandFact, DoneFact, ErrorFact, FileFact, LedgerFold } from './ledger-facts.ts';
import { STATE_HEADING, TODO_HEADING } from './ledger-sections.ts';
import { oneLine } from './one-line.ts';
import { openErrors } from './open-errors.ts';
import { stateLines } from './state-section.ts';
import { todoLines } from './todo-lines.ts';

/** The facts, with each file once. */
export type LedgerFacts = Omit<LedgerFold, 'files'> & { readonly files: ReadonlyMap<string, FileFact> };

export interface Room {
  tokens: number;
  /** See `LedgerOptions`. */
  visibleFrom: number;
  count: TokenCounter;
}

export interface Section {
  heading: string;
  /** Share of the ledger's tokens. */
  share: number;
  /** In order of use, most useful first. A section that is too long loses its last lines. */
  lines: (facts: LedgerFacts, room: Room) => string[];
}

export const STATE: Section = {
  heading: STATE_HEADING,
  share: 0.08,
  lines: stateLines,
};
export const TODO: Section = {
  heading: TODO_HEADING,
  share: 0.15,
  lines: ({ todo, todoHandle }, room) => todoLines(todo, { ...room, handle: todoHandle }),
};
export const DONE: Section = { heading: 'Done so far, newest first', share: 0.05, lines: doneLines };

/** The sections after the changed files. */
export const EVENTS: readonly Section[] = [
  { heading: 'Running in the background (see process)', share: 0.03, lines: backgroundLines },
  { heading: 'Tasks in the background (each result arrives as a message)', share: 0.03, lines: taskLines },
  { heading: 'Commands that ran, newest first', share: 0.06, lines: commandLines },
  { heading: 'Open errors, newest first', share: 0.06, lines: errorLines },
  { heading: 'Cut outputs (read with recall)', share: 0.03, lines: handleLines },
];

/** Without what the state shows. */
function doneLines({ done, report }: LedgerFacts, { visibleFrom }: Room): string[] {
  return done
    .filter(({ sequence, handle }) => sequence < visibleFrom && handle !== report?.handle)
    .toReversed()
    .map(doneLine);
}

function doneLine({ kind, text, handle }: DoneFact): string {
  return kind === 'commit' ? `- commit: ${text} (${handle})` : `- “${text}” (${handle})`;
}

/**
 * Without those whose last run the view shows, except for the newest one and those that failed. Of the scripts that the
 * work wrote for itself, only the newest run is of use.
 */
function commandLines({ commands, files }: LedgerFacts, { visibleFrom }: Room): string[] {
  const newest = [...commands.values()].reverse();
  const isOfHelper = helperRuns(files);
  const newestOfHelper = newest.find(isOfHelper);
  return newest
    .filter(
      (command, index) => command.lastSequence < visibleFrom || index === 0 || outcomeOf(command) !== 'ok',
    )
    .filter((command) => command === newestOfHelper || !isOfHelper(command))
    .map(commandLine);
}

function commandLine(fact: CommandFact): string {
  const { command, count, handle } = fact;
  const times = count === 1 ? '' : `, run ${count} times`;
  return `- \`${shortLine(command, 160)}\` → ${outcomeOf(fact)}${times} (${handle})`;
}

function errorLines(facts: LedgerFacts): string[] {
  const known = { changed: [...facts.files.values()].filter(isChanged), commands: facts.commands };
  return openErrors(facts).map((error) => `${errorLine(error)}${doubtText(error, known)}`);
}

export function errorLine(error: ErrorFact, state = ''): string {
  return `- ${state}${error.call} → ${causeOf(error, Number.POSITIVE_INFINITY)} (${error.handle})`;
}

function backgroundLines({ background }: LedgerFacts): string[] {
  return [...background].map(([handle, command]) => `- ${handle}: \`${oneLine(command, 160)}\``);
}

function taskLines({ tasks }: LedgerFacts): string[] {
  return [...tasks].map(([handle, task]) => `- ${handle}: ${oneLine(task, 160)}`);
}

function handleLines(facts: LedgerFacts): string[] {
  return [...facts.handles].reverse().map(({ handle, what }) => `- ${handle}: ${what}`);
}
