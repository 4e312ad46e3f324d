import {
  handleOf,
  isOpen,
  type Message,
  parseHandle,
  type TextPart,
  type ToolPart,
} from '@longhaul/protocol';
import { headOf } from '../cut-middle.ts';
import { isUserMessage } from '../log.ts';
import { isSymbol } from '../outline.ts';
import { type FileAction, type ToolFacts, toolFacts } from './tool-facts.ts';

export interface FileFact {
  path: string;
  actions: Set<FileAction>;
  symbols: Set<string>;
  /** Where it was last seen or changed. */
  handle: string;
  lastSequence: number;
}

export interface CommandFact {
  command: string;
  count: number;
  exitCode?: number;
  ended?: string;
  handle: string;
  lastSequence: number;
}

export interface ErrorFact {
  /** The call that failed: `bash: npm test`. */
  call: string;
  toolName: string;
  message: string;
  resolved: boolean;
  handle: string;
}

export interface LedgerFacts {
  instructions: { messageId: string; text: string; handle: string }[];
  /** The last todo list, as its tool showed it. */
  todo?: string;
  files: Map<string, FileFact>;
  commands: Map<string, CommandFact>;
  /** The last failure of each command and on each path, the newest last. */
  errors: Map<string, ErrorFact>;
  names: Set<string>;
  /** Outputs whose whole text only `recall` can show. */
  handles: { handle: string; what: string }[];
}

const MAX_SYMBOLS = 24;

/** Reads facts out of messages, in order. A pure fold: no model, nothing from an older summary. */
export function collectFacts(messages: readonly Message[]): LedgerFacts {
  const facts: LedgerFacts = {
    instructions: [],
    files: new Map(),
    commands: new Map(),
    errors: new Map(),
    names: new Set(),
    handles: [],
  };
  for (const message of messages) {
    if (isUserMessage(message)) addInstruction(facts, message);
    for (const [index, part] of message.parts.entries()) {
      if (part.type === 'tool') addToolCall(facts, part, message.sequence, index);
      else if (part.type === 'text') addNames(facts, part.text);
    }
  }
  return facts;
}

function addInstruction(facts: LedgerFacts, message: Message): void {
  const text = message.parts
    .filter((part): part is TextPart => part.type === 'text')
    .map((part) => part.text)
    .join('\n');
  if (text.trim() !== '')
    facts.instructions.push({ messageId: message.id, text, handle: handleOf(message.sequence) });
}

function addToolCall(facts: LedgerFacts, part: ToolPart, sequence: number, index: number): void {
  if (isOpen(part)) return;
  const seen = toolFacts(part);
  const handle = handleOf(sequence, index);
  if (part.name === 'todo' && part.state === 'completed') {
    facts.todo = seen.text;
    return;
  }
  const call = seen.command ?? seen.path;
  const label = call === undefined ? part.name : `${part.name}: ${oneLine(call, 100)}`;
  if (seen.path !== undefined && seen.action !== undefined) {
    addFile(facts, { path: seen.path, action: seen.action, text: seen.text, part, handle, sequence });
  }
  if (seen.command !== undefined)
    addCommand(facts, seen.command, { exitCode: seen.exitCode, ended: seen.ended, handle, sequence });
  addOutcome(facts, `${seen.command === undefined ? 'path' : 'command'} ${call ?? part.name}`, {
    call: label,
    toolName: part.name,
    seen,
    handle,
  });
  if (part.truncated === true) facts.handles.push({ handle, what: label });
  addNames(facts, seen.text);
}

interface FileSighting {
  path: string;
  action: FileAction;
  text: string;
  part: ToolPart;
  handle: string;
  sequence: number;
}

function addFile(facts: LedgerFacts, sighting: FileSighting): void {
  const path = sighting.path.replace(/^\/workspace\/?/, '').replace(/^\.\//, '') || '.';
  const known = facts.files.get(path);
  const file = known ?? { path, actions: new Set(), symbols: new Set(), handle: '', lastSequence: 0 };
  file.actions.add(sighting.action);
  file.handle = sighting.handle;
  file.lastSequence = sighting.sequence;
  if (sighting.action !== 'listed' && sighting.action !== 'searched') {
    for (const symbol of definedSymbols(`${sighting.text}\n${writtenText(sighting.part)}`)) {
      if (file.symbols.size < MAX_SYMBOLS) file.symbols.add(symbol);
    }
  }
  facts.files.delete(path);
  facts.files.set(path, file);
}

/** What a writing tool was given. */
function writtenText(part: ToolPart): string {
  const { input } = part;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return '';
  return ['content', 'new', 'new_string', 'newText']
    .map((key) => input[key])
    .filter((value) => typeof value === 'string')
    .join('\n');
}

const DEFINITION =
  /\b(?:function|class|interface|type|enum|def|fn|func|struct|trait|impl|const|let|var|export default)\s+\*?\s*([A-Za-z_$][\w$]{2,})/g;

function definedSymbols(text: string): string[] {
  return [...text.slice(0, 200_000).matchAll(DEFINITION)]
    .map((match) => match[1] ?? '')
    .filter((name) => name !== '');
}

function addCommand(
  facts: LedgerFacts,
  command: string,
  seen: { exitCode?: number | undefined; ended?: string | undefined; handle: string; sequence: number },
): void {
  const known = facts.commands.get(command);
  facts.commands.delete(command);
  facts.commands.set(command, {
    command,
    count: (known?.count ?? 0) + 1,
    ...(seen.exitCode === undefined ? {} : { exitCode: seen.exitCode }),
    ...(seen.ended === undefined ? {} : { ended: seen.ended }),
    handle: seen.handle,
    lastSequence: seen.sequence,
  });
}

/**
 * A failure stays open until the same tool succeeds at the same thing, or what it failed on has been written anew: an edit that
 * found no match is settled by a write of that file.
 */
function addOutcome(
  facts: LedgerFacts,
  key: string,
  { call, toolName, seen, handle }: { call: string; toolName: string; seen: ToolFacts; handle: string },
): void {
  const known = facts.errors.get(key);
  if (seen.failed) {
    facts.errors.delete(key);
    facts.errors.set(key, { call, toolName, message: errorLine(seen.text), resolved: false, handle });
  } else if (
    known !== undefined &&
    (known.toolName === toolName || seen.action === 'created' || seen.action === 'modified')
  ) {
    known.resolved = true;
  }
}

const ERROR_LINE = /error|fail|exception|cannot|not found|denied|refused|assert|expected|ambiguous|matches/i;

/** The line that says most of what went wrong. */
function errorLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return oneLine(lines.find((line) => ERROR_LINE.test(line)) ?? lines[0] ?? '', 200);
}

/** Bounded everywhere: without bounds, its time grows with the square of a text such as `a-a-a-…`. */
const EXACT_NAME =
  /https?:\/\/[^\s"'<>)\]]{4,120}|\b[0-9a-f]{7,40}\b|[A-Za-z_][\w-]{0,80}(?:[./][\w-]{1,80}){1,20}|[A-Za-z_]\w{5,}/g;
const MAX_NAMES = 400;

function addNames(facts: LedgerFacts, text: string): void {
  for (const [name] of text.slice(0, 100_000).matchAll(EXACT_NAME)) {
    if (name.length > 120 || !isExact(name) || parseHandle(name) !== undefined) continue;
    facts.names.delete(name);
    facts.names.add(name);
  }
  if (facts.names.size > MAX_NAMES * 2) facts.names = new Set([...facts.names].slice(-MAX_NAMES));
}

function isExact(name: string): boolean {
  return (
    name.startsWith('http') || /[/.]/.test(name) || isSymbol(name) || /^(?=.*\d)[0-9a-f]{7,40}$/.test(name)
  );
}

export function oneLine(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${headOf(line, maxChars - 1)}…`;
}
