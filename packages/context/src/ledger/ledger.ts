import type { Message } from '@longhaul/protocol';
import { cutMiddle } from '../cut-middle.ts';
import type { TokenCounter } from '../tokens.ts';
import { type CommandFact, collectFacts, type FileFact, type LedgerFacts, oneLine } from './collect-facts.ts';

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
  lines: (facts: LedgerFacts, maxChars: number) => string[];
}

/** Most useful first: a budget too small for all drops the last ones. */
const SECTIONS: readonly Section[] = [
  { heading: 'User instructions (verbatim)', share: 0.3, lines: instructionLines },
  { heading: 'Todo list', share: 0.3, lines: todoLines },
  { heading: 'Files', share: 0.4, lines: fileLines },
  { heading: 'Commands (last exit code, times run)', share: 0.3, lines: commandLines },
  { heading: 'Errors', share: 0.3, lines: errorLines },
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
  const facts = collectFacts(messages);
  facts.instructions = facts.instructions.filter(
    (_, index) => !isVerbatim(messages, index, options.verbatim),
  );
  const sections: string[] = [];
  let leftTokens = options.maxTokens;
  for (const { heading, share, lines } of SECTIONS) {
    const sectionTokens = Math.floor(leftTokens * share);
    const text = fill(lines(facts, sectionTokens * CHARS_PER_TOKEN), sectionTokens, options.count);
    if (text === '') continue;
    const section = `### ${heading}\n${text}`;
    sections.push(section);
    leftTokens -= options.count(section);
  }
  return sections.join('\n\n');
}

function isVerbatim(
  messages: readonly Message[],
  index: number,
  verbatim: ReadonlySet<string> | undefined,
): boolean {
  if (verbatim === undefined) return false;
  const users = messages.filter(
    (message) => message.role === 'user' && message.metadata?.synthetic === undefined,
  );
  const message = users[index];
  return message !== undefined && verbatim.has(message.id);
}

function fill(lines: readonly string[], maxTokens: number, count: TokenCounter): string {
  const kept: string[] = [];
  let tokens = 0;
  for (const [index, line] of lines.entries()) {
    const cost = count(line) + 1;
    if (tokens + cost > maxTokens) {
      if (kept.length > 0) kept.push(`(and ${lines.length - index} more; recall finds them)`);
      break;
    }
    kept.push(line);
    tokens += cost;
  }
  return kept.join('\n');
}

function instructionLines(facts: LedgerFacts, maxChars: number): string[] {
  const each = Math.max(200, Math.floor(maxChars / Math.max(1, facts.instructions.length)) - 20);
  return facts.instructions.map(
    ({ text, handle }) => `- (${handle}) ${cutMiddle(text.trim(), each, handle).text}`,
  );
}

function todoLines(facts: LedgerFacts): string[] {
  return facts.todo === undefined ? [] : facts.todo.split('\n').filter((line) => line.trim() !== '');
}

const ACTION_ORDER = ['deleted', 'created', 'modified', 'read', 'searched', 'listed'] as const;

/** Grouped by folder, the folder most recently touched first; symbols stand under their file. */
function fileLines(facts: LedgerFacts): string[] {
  const folders = new Map<string, FileFact[]>();
  for (const file of [...facts.files.values()].reverse()) {
    const slash = file.path.lastIndexOf('/');
    const folder = slash === -1 ? './' : file.path.slice(0, slash + 1);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders].flatMap(([folder, files]) => [folder, ...files.map(fileLine)]);
}

function fileLine(file: FileFact): string {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  const actions = ACTION_ORDER.filter((action) => file.actions.has(action)).join(', ');
  const symbols = file.symbols.size === 0 ? '' : `: ${[...file.symbols].join(', ')}`;
  return `  ${name} (${actions}; ${file.handle})${symbols}`;
}

function commandLines(facts: LedgerFacts): string[] {
  return [...facts.commands.values()].reverse().map(commandLine);
}

function commandLine({ command, count, exitCode, handle }: CommandFact): string {
  const outcome = exitCode === undefined ? 'no exit code' : `exit ${exitCode}`;
  return `- \`${oneLine(command, 160)}\` (${outcome}, ${count}×, ${handle})`;
}

function errorLines(facts: LedgerFacts): string[] {
  const open = facts.errors.filter((error) => !error.resolved).reverse();
  const resolved = facts.errors.filter((error) => error.resolved).reverse();
  return [
    ...open.map((error) => `- OPEN ${error.call} → ${error.message} (${error.handle})`),
    ...resolved.slice(0, 10).map((error) => `- resolved ${error.call} → ${error.message} (${error.handle})`),
  ];
}

function handleLines(facts: LedgerFacts): string[] {
  return [...facts.handles].reverse().map(({ handle, what }) => `- ${handle}: ${what}`);
}

function nameLines(facts: LedgerFacts, maxChars: number): string[] {
  const shown = new Set<string>();
  for (const file of facts.files.values()) {
    shown.add(file.path);
    for (const symbol of file.symbols) shown.add(symbol);
  }
  const lines: string[] = [];
  let line = '';
  for (const name of [...facts.names].reverse()) {
    if (shown.has(name)) continue;
    if (line.length + name.length > 100) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? name : `${line} ${name}`;
    if (lines.length * 100 > maxChars) break;
  }
  if (line !== '') lines.push(line);
  return lines;
}
