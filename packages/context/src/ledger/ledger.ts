import type { Message } from '@longhaul/protocol';
import { cutMiddle } from '../cut-middle.ts';
import type { TokenCounter } from '../tokens.ts';
import { buildFileTree, type FileTree, rankNames } from './file-tree.ts';
import {
  type CommandFact,
  createLedgerFold,
  type ErrorFact,
  foldMessage,
  type LedgerFold,
  oneLine,
} from './ledger-fold.ts';

export interface LedgerOptions {
  /** Most tokens the ledger may take. */
  maxTokens: number;
  count: TokenCounter;
  /** Ids of messages that stay verbatim in the view, so that their text need not stand in the ledger again. */
  verbatim?: ReadonlySet<string>;
  /** Messages from this sequence on stay in the view: names mentioned last in them come last. */
  visibleFrom?: number;
}

interface Section {
  heading: string;
  /** Share of the budget. What a section leaves is the next one's. */
  share: number;
  isBeforeFiles: boolean;
  /** Most useful first; a section is cut at its end. */
  lines: (facts: LedgerFold, room: Room) => string[];
}

interface Room {
  tokens: number;
  /** Rough characters that have so many tokens. */
  chars: number;
  count: TokenCounter;
}

/** Shares of the whole; what they leave is for the files and the names. A budget too small for all drops the last ones. */
const SECTIONS: readonly Section[] = [
  { heading: 'User instructions (verbatim)', share: 0.25, isBeforeFiles: true, lines: instructionLines },
  { heading: 'Todo list', share: 0.15, isBeforeFiles: true, lines: todoLines },
  { heading: 'Commands, newest first', share: 0.08, isBeforeFiles: false, lines: commandLines },
  { heading: 'Errors, newest first', share: 0.08, isBeforeFiles: false, lines: errorLines },
  { heading: 'Cut outputs (read with recall)', share: 0.03, isBeforeFiles: false, lines: handleLines },
];

/** Rough characters of a token, to bound lines before they are counted. */
const CHARS_PER_TOKEN = 4;

/**
 * The facts of the work so far, computed from the log alone: it does not decay over rounds, since no older summary is read.
 * Markdown that a person can read too.
 */
export function buildLedger(messages: readonly Message[], options: LedgerOptions): string {
  const fold = createLedgerFold();
  for (const message of messages) foldMessage(fold, message);
  return renderLedger(fold, options);
}

/** The ledger of what was folded so far. */
export function renderLedger(fold: LedgerFold, options: LedgerOptions): string {
  const { maxTokens, count, verbatim } = options;
  const instructions = fold.instructions.filter(({ messageId }) => verbatim?.has(messageId) !== true);
  const facts: LedgerFold = { ...fold, instructions };
  const before: string[] = [];
  const behind: string[] = [];
  let leftTokens = maxTokens;
  for (const { heading, share, isBeforeFiles, lines } of SECTIONS) {
    const tokens = Math.floor(maxTokens * share);
    const room = { tokens, chars: tokens * CHARS_PER_TOKEN, count };
    const section = fill(heading, lines(facts, room), { tokens, count });
    if (section === undefined) continue;
    (isBeforeFiles ? before : behind).push(section.text);
    leftTokens -= section.tokens;
  }
  const { files, others } = nameSections(facts, options, leftTokens);
  return [...before, ...files, ...behind, ...others].join('\n\n');
}

interface NameSections {
  files: string[];
  others: string[];
}

/** Files and names take what is left. Their room is tried in characters until what is written has no more tokens. */
function nameSections(
  fold: LedgerFold,
  { count, visibleFrom }: LedgerOptions,
  maxTokens: number,
): NameSections {
  const names = rankNames(fold.names, visibleFrom);
  let maxChars = maxTokens * CHARS_PER_TOKEN;
  for (let attempt = 0; attempt < 5 && maxChars > 80; attempt += 1) {
    const sections = treeSections(buildFileTree({ files: fold.files, names, maxChars }));
    const tokens = count([...sections.files, ...sections.others].join('\n\n')) + 2;
    if (tokens <= maxTokens) return sections;
    maxChars *= Math.min(0.95, (maxTokens / tokens) * 0.98);
  }
  return { files: [], others: [] };
}

function treeSections({ files, others }: FileTree): NameSections {
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`### ${heading}\n${lines.join('\n')}`];
  return {
    files: section('Files, and the names that came from them', files),
    others: section('Other exact names', others),
  };
}

/** Tokens of the line that says how many lines are missing, and of the blank line after a section. */
const MORE_TOKENS = 16;

/** The lines that fit below their heading; undefined when none does. */
function fill(
  heading: string,
  lines: readonly string[],
  { tokens: maxTokens, count }: { tokens: number; count: TokenCounter },
): { text: string; tokens: number } | undefined {
  const kept = [`### ${heading}`];
  let tokens = count(`### ${heading}\n\n`) + MORE_TOKENS;
  for (const line of lines) {
    const cost = count(line) + 1;
    if (tokens + cost > maxTokens) break;
    kept.push(line);
    tokens += cost;
  }
  const missing = lines.length - (kept.length - 1);
  if (kept.length === 1) return undefined;
  if (missing > 0) kept.push(`(and ${missing} more; recall finds them)`);
  return { text: kept.join('\n'), tokens };
}

/** Whole where they fit, else all cut to one length; and where even that is too much, the newest. */
function instructionLines(facts: LedgerFold, room: Room): string[] {
  let lines: string[] = [];
  let { chars } = room;
  // Scripts differ in how many characters a token has: what is too long is made again, shorter.
  for (let attempt = 0; attempt < 4; attempt += 1) {
    lines = instructionsWithin(facts, chars);
    const tokens = lines.reduce((sum, line) => sum + room.count(line) + 1, 40);
    if (tokens <= room.tokens) break;
    chars *= Math.max(0.1, (room.tokens / tokens) * 0.95);
  }
  return lines;
}

const MIN_INSTRUCTION_CHARS = 160;
/** `- (m12) ` and the line's end. */
const INSTRUCTION_FRAME_CHARS = 12;

function instructionsWithin(facts: LedgerFold, maxChars: number): string[] {
  const { instructions } = facts;
  const lengths = instructions.map(({ text }) => text.trim().length + INSTRUCTION_FRAME_CHARS);
  const each = Math.max(MIN_INSTRUCTION_CHARS, commonLimit(lengths, maxChars)) - INSTRUCTION_FRAME_CHARS;
  const lines: string[] = [];
  let chars = 0;
  for (const { text, handle } of instructions.toReversed()) {
    const line = `- (${handle}) ${cutMiddle(text.trim(), each, handle).text}`;
    if (chars + line.length > maxChars) break;
    lines.unshift(line);
    chars += line.length;
  }
  const missing = instructions.length - lines.length;
  if (missing > 0 && lines.length > 0) lines.unshift(`(${missing} older ones: recall finds them)`);
  return lines;
}

/** The length to which the longer ones are cut so that all together have `total`. */
function commonLimit(lengths: readonly number[], total: number): number {
  const sorted = lengths.toSorted((left, right) => left - right);
  let left = total;
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

/** As its tool showed it; where that is too long, what is done goes first. */
function todoLines(facts: LedgerFold, { tokens, count }: Room): string[] {
  const lines = (facts.todo ?? '').split('\n').filter((line) => line.trim() !== '');
  if (count(lines.join('\n')) + lines.length + 2 * MORE_TOKENS <= tokens) return lines;
  const open = lines.filter((line) => !DONE_ITEM.test(line));
  const done = lines.length - open.length;
  return done === 0 ? open : [`(${done} items are done)`, ...open];
}

export const DONE_ITEM = /^\s*(?:[-*]\s*)?\[x\]/i;

function commandLines(facts: LedgerFold): string[] {
  return [...facts.commands.values()].reverse().map(commandLine);
}

export function commandLine({ command, count, exitCode, ended, handle }: CommandFact): string {
  const outcome = exitCode === undefined ? (ended ?? 'unknown outcome') : `exit ${exitCode}`;
  const times = count === 1 ? '' : `, run ${count} times`;
  return `- \`${oneLine(command, 160)}\` → ${outcome}${times} (${handle})`;
}

const MAX_RESOLVED = 10;

function errorLines(facts: LedgerFold): string[] {
  const newest = [...facts.errors.values()].reverse();
  const open = newest.filter((error) => !error.resolved).map((error) => errorLine('open', error));
  const resolved = newest.filter((error) => error.resolved).slice(0, MAX_RESOLVED);
  return [...open, ...resolved.map((error) => errorLine('resolved', error))];
}

export function errorLine(state: string, { call, message, handle }: ErrorFact): string {
  return `- [${state}] ${call} → ${message === '' ? 'failed' : message} (${handle})`;
}

function handleLines(facts: LedgerFold): string[] {
  return [...facts.handles].reverse().map(({ handle, what }) => `- ${handle}: ${what}`);
}
