import type { Message } from '@longhaul/protocol';
import type { TokenCounter } from '../tokens.ts';
import { changedFileLines, filesOfLines } from './changed-section.ts';
import { currentRequest } from './current-request.ts';
import { exactNamesIn } from './exact-names.ts';
import { instructionSection } from './instruction-section.ts';
import { keptSection, keptTokens } from './kept-facts.ts';
import {
  type CommandFact,
  createLedgerFold,
  type ErrorFact,
  foldMessage,
  type LedgerFold,
} from './ledger-fold.ts';
import { TODO_HEADING } from './ledger-sections.ts';
import { candidatesFor, type NamedFiles, nameSections } from './name-sections.ts';
import { oneLine } from './one-line.ts';
import { rankNames } from './rank-names.ts';
import { type SameFiles, sameFiles } from './same-files.ts';

export interface LedgerOptions {
  /** The most tokens of the ledger. */
  maxTokens: number;
  count: TokenCounter;
  /** Ids of messages that stay verbatim in the view. The ledger leaves out their text. */
  verbatim?: ReadonlySet<string>;
  /** The view shows all messages from this sequence on. Names that are mentioned last in one of them rank lower. */
  visibleFrom?: number;
  /** The most tokens of the facts that the model keeps, which come first. Default: their share of `maxTokens`. */
  keptTokens?: number;
}

/** The facts, with each file once. */
type LedgerFacts = Omit<LedgerFold, 'files'> & SameFiles;

interface Section {
  heading: string;
  /** Share of the ledger's tokens. */
  share: number;
  /** In order of use, most useful first. A section that is too long loses its last lines. */
  lines: (facts: LedgerFacts, room: Room) => string[];
}

interface Room {
  tokens: number;
  /** See `LedgerOptions`. */
  visibleFrom: number;
  count: TokenCounter;
}

const TODO: Section = { heading: TODO_HEADING, share: 0.15, lines: todoLines };
/** The sections between the instructions and the names. */
const EVENTS: readonly Section[] = [
  { heading: 'Running in the background (see process)', share: 0.03, lines: backgroundLines },
  { heading: 'Tasks in the background (each result arrives as a message)', share: 0.03, lines: taskLines },
  {
    heading: 'Files changed, newest first',
    share: 0.1,
    lines: ({ files }) => changedFileLines(files.values()),
  },
  { heading: 'Commands, newest first', share: 0.08, lines: commandLines },
  { heading: 'Open errors, newest first', share: 0.06, lines: errorLines },
  { heading: 'Cut outputs (read with recall)', share: 0.03, lines: handleLines },
];
const EVENTS_SHARE = EVENTS.reduce((sum, { share }) => sum + share, 0);
const REQUEST_SHARE = 0.15;
const INSTRUCTIONS_SHARE = 0.25;
/** A longer index would bury the rest of a summary, and hardly more of its names are needed again. */
const MAX_NAMES_TOKENS = 8_000;
/** Share that instructions always leave for names. */
const NAMES_SHARE = 0.55;

/**
 * Returns the facts of the work so far as Markdown that people can read too. They are computed from the log alone. No
 * older summary is read, so the facts do not decay over rounds.
 */
export function buildLedger(messages: readonly Message[], options: LedgerOptions): string {
  const fold = createLedgerFold();
  for (const message of messages) foldMessage(fold, message);
  return renderLedger(fold, options);
}

/**
 * Renders the ledger of a fold. Each section has a share of the tokens. Tokens that a section leaves over go to a todo
 * list or instructions that are longer than their share, then to names.
 */
export function renderLedger(collected: LedgerFold, options: LedgerOptions): string {
  const { count, verbatim } = options;
  const fold = { ...collected, ...sameFiles(collected.files) };
  const kept =
    fold.kept &&
    keptSection(fold.kept, { maxTokens: options.keptTokens ?? keptTokens(options.maxTokens), count });
  const maxTokens = Math.max(0, options.maxTokens - tokensOf([kept]));
  const request = currentRequest(fold.instructions, {
    verbatim,
    maxTokens: Math.floor(maxTokens * REQUEST_SHARE),
    count,
  });
  const visibleFrom = options.visibleFrom ?? Number.POSITIVE_INFINITY;
  const events = EVENTS.map((section) => fill(section, fold, { maxTokens, count, visibleFrom }));
  const spare = Math.floor(maxTokens * EVENTS_SHARE) - tokensOf(events);
  const todo = fill(TODO, fold, { maxTokens, count, visibleFrom, moreTokens: spare });
  const leftTokens = maxTokens - tokensOf([request, todo, ...events]);
  const most = candidatesFor(maxTokens);
  const listed = filesOfLines(
    textsOf(events).flatMap((text) => text.split('\n')),
    fold.files.values(),
  );
  const named = {
    listed,
    files: fold.files,
    keyOf: fold.keyOf,
    names: rankNames(fold.names, { visibleFrom, most }),
  };
  const shownElsewhere = new Set([...(verbatim ?? []), ...(request?.messageIds ?? [])]);
  const instructions = instructionsWithin(leftTokens, fold, {
    ...options,
    maxTokens,
    named,
    verbatim: shownElsewhere,
  });
  const shown = exactNamesIn(textsOf([request, instructions, todo, kept, ...events]).join('\n'));
  const room = { maxTokens: Math.min(MAX_NAMES_TOKENS, leftTokens - tokensOf([instructions])), count };
  const { files, others } = nameSections({ ...named, shown }, room);
  return [...textsOf([request, todo, kept, instructions, ...events]), ...files, ...others].join('\n\n');
}

type Filled = { readonly text: string; readonly tokens: number } | undefined;

function tokensOf(sections: readonly Filled[]): number {
  return sections.reduce((sum, section) => sum + (section?.tokens ?? 0), 0);
}

function textsOf(sections: readonly Filled[]): string[] {
  return sections.flatMap((section) => (section === undefined ? [] : [section.text]));
}

/**
 * Instructions that don't fit beside the share of files and names get the part of it that files and names don't need.
 */
function instructionsWithin(
  leftTokens: number,
  { instructions }: LedgerFacts,
  { maxTokens, count, verbatim, named }: LedgerOptions & { named: NamedFiles },
): Filled {
  if (instructions.every(({ messageId }) => verbatim?.has(messageId))) return undefined;
  const within = (most: number, share: number) =>
    instructionSection(instructions, { verbatim, maxTokens: most, shareTokens: share, count });
  const namesTokens = Math.floor(maxTokens * NAMES_SHARE);
  const shareTokens = Math.floor(maxTokens * INSTRUCTIONS_SHARE);
  const least = Math.max(shareTokens, leftTokens - namesTokens);
  const section = within(least, shareTokens);
  if (section?.isWhole === true) return section;
  const most = leftTokens - nameSections(named, { maxTokens: namesTokens, count }).tokens;
  return most > least ? within(most, most) : section;
}

/** Tokens of the line that counts the missing lines, and of the blank line after a section. */
const MORE_TOKENS = 16;

interface FillOptions {
  /** Tokens of the whole ledger. */
  maxTokens: number;
  /** Tokens that the section may use beyond its share. */
  moreTokens?: number;
  count: TokenCounter;
  visibleFrom: number;
}

/** Returns a heading with the lines that fit below it; undefined if none fits. */
function fill(
  { heading, share, lines: linesOf }: Section,
  fold: LedgerFacts,
  { maxTokens, moreTokens = 0, count, visibleFrom }: FillOptions,
): Filled {
  const shareTokens = Math.floor(maxTokens * share);
  const lines = linesOf(fold, { tokens: shareTokens, count, visibleFrom });
  const kept = [`### ${heading}`];
  let tokens = count(`### ${heading}\n\n`) + MORE_TOKENS;
  for (const line of lines) {
    const cost = count(line) + 1;
    if (tokens + cost > shareTokens + moreTokens) break;
    kept.push(line);
    tokens += cost;
  }
  const missing = lines.length - (kept.length - 1);
  if (kept.length === 1) return undefined;
  if (missing > 0) kept.push(`(and ${missing} more; recall finds them)`);
  const text = kept.join('\n');
  return { text, tokens: count(`${text}\n\n`) };
}

/** Returns the list as its tool returned it. If it is too long, done items are only counted. */
function todoLines(facts: LedgerFacts, { tokens, count }: Room): string[] {
  const lines = (facts.todo ?? '').split('\n').filter((line) => line.trim() !== '');
  if (count(lines.join('\n')) + lines.length + 2 * MORE_TOKENS <= tokens) return lines;
  const open = lines.filter((line) => !DONE_ITEM.test(line));
  const done = lines.length - open.length;
  return done === 0 ? open : [`(${done} items are done)`, ...open];
}

export const DONE_ITEM = /^\s*(?:[-*]\s*)?\[x\]/i;

/** Without those whose last run the view shows. */
function commandLines({ commands }: LedgerFacts, { visibleFrom }: Room): string[] {
  const hidden = [...commands.values()].filter(({ lastSequence }) => lastSequence < visibleFrom);
  return hidden.reverse().map(commandLine);
}

export function commandLine({ command, count, exitCode, ended, handle }: CommandFact): string {
  const outcome = exitCode === undefined ? (ended ?? 'unknown outcome') : `exit ${exitCode}`;
  const times = count === 1 ? '' : `, run ${count} times`;
  return `- \`${oneLine(command, 160)}\` → ${outcome}${times} (${handle})`;
}

function errorLines(facts: LedgerFacts): string[] {
  const open = [...facts.errors.values()].filter((error) => !error.resolved);
  return open.reverse().map((error) => errorLine('open', error));
}

export function errorLine(state: string, { call, message, handle }: ErrorFact): string {
  return `- [${state}] ${call} → ${message === '' ? 'failed' : message} (${handle})`;
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
