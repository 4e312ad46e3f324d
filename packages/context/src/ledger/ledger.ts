import type { Message } from '@longhaul/protocol';
import { cutMiddle } from '../cut-middle.ts';
import { joinWithin } from '../outline.ts';
import type { TokenCounter } from '../tokens.ts';
import {
  type CommandFact,
  collectFacts,
  type ErrorFact,
  type FileFact,
  type LedgerFacts,
  oneLine,
} from './collect-facts.ts';

export interface LedgerOptions {
  /** Most tokens the ledger may take. */
  maxTokens: number;
  count: TokenCounter;
  /** Ids of messages that stay verbatim in the view, so that their text need not stand in the ledger again. */
  verbatim?: ReadonlySet<string>;
}

interface Section {
  heading: string;
  /** Share of the budget. What a section leaves is the next one's. */
  share: number;
  /** Most useful first; a section is cut at its end. */
  lines: (facts: LedgerFacts, room: Room) => string[];
}

interface Room {
  tokens: number;
  /** Rough characters that have so many tokens. */
  chars: number;
  count: TokenCounter;
}

/** Most useful first: a budget too small for all drops the last ones. */
const SECTIONS: readonly Section[] = [
  { heading: 'User instructions (verbatim)', share: 0.3, lines: instructionLines },
  { heading: 'Todo list', share: 0.3, lines: todoLines },
  { heading: 'Files', share: 0.4, lines: fileLines },
  { heading: 'Commands, newest first', share: 0.3, lines: commandLines },
  { heading: 'Errors, newest first', share: 0.3, lines: errorLines },
  { heading: 'Cut outputs (read with recall)', share: 0.3, lines: handleLines },
  { heading: 'Other exact names', share: 0.8, lines: nameLines },
];

/** Rough characters of a token, to bound lines before they are counted. */
const CHARS_PER_TOKEN = 3.5;

/**
 * The facts of the work so far, computed from the log alone: it does not decay over rounds, since no older summary is read.
 * Markdown that a person can read too.
 */
export function buildLedger(messages: readonly Message[], options: LedgerOptions): string {
  const { maxTokens, count, verbatim } = options;
  const facts = collectFacts(messages);
  facts.instructions = facts.instructions.filter(({ messageId }) => verbatim?.has(messageId) !== true);
  const sections: string[] = [];
  let leftTokens = maxTokens;
  for (const { heading, share, lines } of SECTIONS) {
    const tokens = Math.floor(leftTokens * share);
    const section = fill(heading, lines(facts, { tokens, chars: tokens * CHARS_PER_TOKEN, count }), {
      tokens,
      count,
    });
    if (section === undefined) continue;
    sections.push(section.text);
    leftTokens -= section.tokens;
  }
  return sections.join('\n\n');
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
function instructionLines(facts: LedgerFacts, room: Room): string[] {
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

function instructionsWithin(facts: LedgerFacts, maxChars: number): string[] {
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
function todoLines(facts: LedgerFacts, { tokens, count }: Room): string[] {
  const lines = (facts.todo ?? '').split('\n').filter((line) => line.trim() !== '');
  if (count(lines.join('\n')) + lines.length + 2 * MORE_TOKENS <= tokens) return lines;
  const open = lines.filter((line) => !DONE_ITEM.test(line));
  const done = lines.length - open.length;
  return done === 0 ? open : [`(${done} items are done)`, ...open];
}

const DONE_ITEM = /^\s*(?:[-*]\s*)?\[x\]/i;

const ACTIONS_ON_FILES = ['deleted', 'created', 'modified', 'read'] as const;
const ACTION_ORDER = [...ACTIONS_ON_FILES, 'searched', 'listed'] as const;

/**
 * Grouped by folder, the folder most recently touched first; symbols stand under their file, as many as the room allows once every
 * file has its line: a path that is missing costs more than a symbol.
 */
function fileLines(facts: LedgerFacts, room: Room): string[] {
  // A folder looked through is no file, and what was found there is named where it was opened.
  const files = [...facts.files.values()]
    .filter((file) => ACTIONS_ON_FILES.some((action) => file.actions.has(action)))
    .reverse();
  const folders = groupByFolder(files);
  for (const symbolChars of SYMBOL_CHARS) {
    const lines = filesWithSymbols(folders, symbolChars);
    const tokens = lines.reduce((sum, line) => sum + room.count(line) + 1, 2 * MORE_TOKENS);
    if (tokens <= room.tokens) return lines;
  }
  return filesWithSymbols(folders, 0);
}

/** Characters for the symbols of each file, tried in turn. */
const SYMBOL_CHARS = [320, 160, 80, 40];

function filesWithSymbols(folders: ReadonlyMap<string, readonly FileFact[]>, symbolChars: number): string[] {
  return [...folders].flatMap(([folder, files]) => [
    `- ${folder}`,
    ...files.flatMap((file) => [fileLine(file), ...symbolLine(file, symbolChars)]),
  ]);
}

function groupByFolder(files: readonly FileFact[]): Map<string, FileFact[]> {
  const folders = new Map<string, FileFact[]>();
  for (const file of files) {
    const slash = file.path.lastIndexOf('/');
    const folder = slash === -1 ? './' : file.path.slice(0, slash + 1);
    const known = folders.get(folder);
    if (known === undefined) folders.set(folder, [file]);
    else known.push(file);
  }
  return folders;
}

function fileLine(file: FileFact): string {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  const actions = ACTION_ORDER.filter((action) => file.actions.has(action)).join(', ');
  return `  - ${oneLine(name, 120)} (${actions}; ${file.handle})`;
}

function symbolLine(file: FileFact, maxChars: number): string[] {
  const symbols = joinWithin([...file.symbols], maxChars);
  return symbols === '' ? [] : [`    ${symbols}`];
}

function commandLines(facts: LedgerFacts): string[] {
  return [...facts.commands.values()].reverse().map(commandLine);
}

function commandLine({ command, count, exitCode, ended, handle }: CommandFact): string {
  const outcome = exitCode === undefined ? (ended ?? 'unknown outcome') : `exit ${exitCode}`;
  const times = count === 1 ? '' : `, run ${count} times`;
  return `- \`${oneLine(command, 160)}\` → ${outcome}${times} (${handle})`;
}

const MAX_RESOLVED = 10;

function errorLines(facts: LedgerFacts): string[] {
  const newest = [...facts.errors.values()].reverse();
  const open = newest.filter((error) => !error.resolved).map((error) => errorLine('open', error));
  const resolved = newest.filter((error) => error.resolved).slice(0, MAX_RESOLVED);
  return [...open, ...resolved.map((error) => errorLine('resolved', error))];
}

function errorLine(state: string, { call, message, handle }: ErrorFact): string {
  return `- [${state}] ${call} → ${message === '' ? 'failed' : message} (${handle})`;
}

function handleLines(facts: LedgerFacts): string[] {
  return [...facts.handles].reverse().map(({ handle, what }) => `- ${handle}: ${what}`);
}

const NAME_LINE_CHARS = 100;

function nameLines(facts: LedgerFacts, { chars: maxChars }: Room): string[] {
  const shown = new Set<string>();
  for (const file of facts.files.values()) {
    shown.add(file.path);
    for (const symbol of file.symbols) shown.add(symbol);
  }
  const lines: string[] = [];
  let line = '';
  for (const name of [...facts.names].reverse()) {
    if (shown.has(name)) continue;
    if (line !== '' && line.length + name.length > NAME_LINE_CHARS) {
      lines.push(line);
      line = '';
    }
    if (lines.length * NAME_LINE_CHARS > maxChars) return lines;
    line = line === '' ? name : `${line}, ${name}`;
  }
  return line === '' ? lines : [...lines, line];
}
