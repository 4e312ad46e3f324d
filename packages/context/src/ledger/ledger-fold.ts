import {
  handleOf,
  isBlank,
  isOpen,
  type Message,
  type PatchPart,
  type TextPart,
  type ToolPart,
} from '@longhaul/protocol';
import { isUserMessage } from '../log.ts';
import { ownCopy } from '../own-copy.ts';
import { answeredQuestion, SAID_CHARS } from './answered-question.ts';
import { argumentText } from './argument-text.ts';
import { backgroundOf, deliveredTasks, endedInBackground, taskInBackground } from './background-facts.ts';
import { CHANGED_BY, changedFiles } from './changed-files.ts';
import { placeNamedIn } from './exact-names.ts';
import { fileKey } from './file-paths.ts';
import { instructionIn } from './instruction-text.ts';
import { type KeptFacts, keptFactsOf } from './kept-facts.ts';
import { addNames, createNameIndex, type NameIndex } from './name-index.ts';
import { oneLine } from './one-line.ts';
import { todoListOf } from './todo-list.ts';
import { type FileAction, type ToolFacts, toolFacts } from './tool-facts.ts';
import { withoutTracebacks } from './tracebacks.ts';

/** A message that the user wrote. */
export interface InstructionFact {
  messageId: string;
  text: string;
  handle: string;
  /** The question of the model that a short message answers. */
  answers?: string;
}

export interface FileFact {
  /** See `fileKey`. */
  key: string;
  /** As it was spelled last. */
  path: string;
  /** Empty if only commands name the file. */
  actions: Set<FileAction>;
  /** The call that read or changed it last. */
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
  /** The call that failed, such as `bash: npm test`. */
  call: string;
  toolName: string;
  message: string;
  resolved: boolean;
  handle: string;
}

/** The facts of a session up to some message. It grows message by message, and never reads a summary. */
export interface LedgerFold {
  instructions: InstructionFact[];
  /** The end of the model's newest text, until the user answers. */
  said?: string;
  /** The newest todo list, as its tool returned it. */
  todo?: string;
  /** The facts that the model keeps. Absent until it keeps some. */
  kept?: KeptFacts;
  files: Map<string, FileFact>;
  commands: Map<string, CommandFact>;
  /** The newest failure of each command and on each path, newest last. */
  errors: Map<string, ErrorFact>;
  /** The exact names, and where they occurred. */
  names: NameIndex;
  /** Commands that run in the background, by their handle. */
  background: Map<string, string>;
  /** What child sessions in the background do, by the handle of the call that started each. */
  tasks: Map<string, string>;
  /** Outputs whose full text only `recall` returns. */
  handles: { handle: string; what: string }[];
}

export function createLedgerFold(): LedgerFold {
  return {
    instructions: [],
    files: new Map(),
    commands: new Map(),
    errors: new Map(),
    names: createNameIndex(),
    background: new Map(),
    tasks: new Map(),
    handles: [],
  };
}

/** Adds the session's next message to the fold. */
export function foldMessage(facts: LedgerFold, message: Message): void {
  const { sequence } = message;
  const isUser = isUserMessage(message);
  if (isUser) addInstruction(facts, message);
  for (const handle of endedInBackground(message)) facts.background.delete(handle);
  for (const handle of deliveredTasks(message)) facts.tasks.delete(handle);
  for (const [index, part] of message.parts.entries()) {
    if (part.type === 'tool') addToolCall(facts, part, sequence, index);
    else if (part.type === 'patch') addPatch(facts, part, sequence);
    else if (part.type === 'text') {
      addNames(facts.names, part.text, { source: isUser ? 'users' : 'texts', sequence });
      if (message.role === 'assistant' && !isBlank(part.text))
        facts.said = ownCopy(part.text.slice(-SAID_CHARS));
    }
  }
}

function addInstruction(facts: LedgerFold, message: Message): void {
  const written = message.parts
    .filter((part): part is TextPart => part.type === 'text')
    .map((part) => part.text)
    .join('\n');
  const text = instructionIn(written);
  if (isBlank(text)) return;
  const answers = facts.said === undefined ? undefined : answeredQuestion(facts.said, text);
  const fact = { messageId: message.id, text, handle: handleOf(message.sequence) };
  facts.instructions.push(answers === undefined ? fact : { ...fact, answers: ownCopy(answers) });
  facts.said = undefined;
}

function addToolCall(facts: LedgerFold, part: ToolPart, sequence: number, index: number): void {
  if (isOpen(part)) return;
  const seen = toolFacts(part);
  const handle = handleOf(sequence, index);
  const background = backgroundOf(part);
  if (background?.runs === false) facts.background.delete(background.handle);
  else if (background !== undefined && !facts.background.has(background.handle) && seen.command !== undefined)
    facts.background.set(background.handle, ownCopy(seen.command));
  const child = taskInBackground(part);
  if (child !== undefined) facts.tasks.set(handle, ownCopy(child));
  const todo = todoListOf(part, facts.todo);
  if (todo !== undefined) {
    facts.todo = todo;
    const kept = keptFactsOf(part);
    if (kept !== undefined) facts.kept = { facts: kept, handle };
    return;
  }
  const call = seen.command ?? seen.path;
  const label = call === undefined ? part.name : `${part.name}: ${oneLine(call, 100)}`;
  if (seen.path !== undefined && seen.action !== undefined) {
    addFile(facts, { path: seen.path, action: seen.action, handle, sequence });
  }
  for (const { path, action } of changedFiles(part, seen)) {
    const isKnown = (facts.files.get(fileKey(path))?.actions.size ?? 0) > 0;
    const change = action === 'written' ? (isKnown ? 'modified' : 'created') : action;
    addFile(facts, { path: ownCopy(path), action: change, handle, sequence });
  }
  if (seen.command !== undefined)
    addCommand(facts, seen.command, {
      exitCode: seen.exitCode,
      ended: seen.ended ?? (part.state === 'completed' ? 'done' : undefined),
      handle,
      sequence,
    });
  addOutcome(facts, `${seen.command === undefined ? 'path' : 'command'} ${call ?? part.name}`, {
    call: label,
    toolName: part.name,
    seen,
    handle,
  });
  if (part.truncated === true) facts.handles.push({ handle, what: label });
  addCallNames(facts, { part, seen, sequence, handle });
}

/** A patch of more files, such as of an installation, says little about each of them. */
const MAX_PATCHED_FILES = 50;

/** Adds the recorded changes of a step, however its tools made them: with an edit, a command or a generator. */
function addPatch(facts: LedgerFold, { files, byAgent }: PatchPart, sequence: number): void {
  if (!byAgent) return;
  const named = [...facts.files.values()].filter(({ lastSequence }) => lastSequence === sequence);
  const add = (path: string, action: FileAction) => {
    // A call of this step may have spelled the path in another way. Its handle says more than that of the step.
    const known = named.find(({ key }) => key === path || key.endsWith(`/${path}`));
    const place = known ?? { path: ownCopy(path), handle: handleOf(sequence) };
    addFile(facts, { path: place.path, handle: place.handle, action, sequence });
  };
  for (const { path, change, from } of files.slice(0, MAX_PATCHED_FILES)) {
    add(path, CHANGED_BY[change]);
    if (from !== undefined) add(from, 'deleted');
  }
}

/** Assigns names to the file that the call was about. */
function addCallNames(
  facts: LedgerFold,
  { part, seen, sequence, handle }: { part: ToolPart; seen: ToolFacts; sequence: number; handle: string },
): void {
  const input = argumentText(part.input);
  const path = seen.path ?? placeNamedIn(input);
  // The workspace itself does not distinguish names.
  const file = path === undefined || path === '.' ? undefined : ownCopy(fileKey(path));
  if (path !== undefined && file !== undefined && !facts.files.has(file)) {
    facts.files.set(file, {
      key: file,
      path: ownCopy(shownPath(path)),
      actions: new Set(),
      handle,
      lastSequence: sequence,
    });
  }
  addNames(facts.names, input, { source: 'calls', sequence, file });
  addNames(facts.names, seen.text, { source: 'results', sequence, file });
}

interface FileSighting {
  path: string;
  action: FileAction;
  handle: string;
  sequence: number;
}

function addFile(facts: LedgerFold, { path, action, handle, sequence }: FileSighting): void {
  // A folder that was listed or searched is not a file. Names that were found there are assigned when their file is
  // opened.
  if (action === 'listed' || action === 'searched') return;
  const key = fileKey(path);
  const actions = facts.files.get(key)?.actions ?? new Set();
  if (action !== 'deleted') actions.delete('deleted');
  actions.add(action);
  facts.files.delete(key);
  facts.files.set(key, { key, path: shownPath(path), actions, handle, lastSequence: sequence });
}

function shownPath(path: string): string {
  return path.replace(/^\/workspace\/?/, '').replace(/^(?:\.\/)+/, '') || '.';
}

function addCommand(
  facts: LedgerFold,
  command: string,
  seen: { exitCode?: number | undefined; ended?: string | undefined; handle: string; sequence: number },
): void {
  const known = facts.commands.get(command);
  facts.commands.delete(command);
  facts.commands.set(command, {
    command,
    count: (known?.count ?? 0) + 1,
    exitCode: seen.exitCode,
    ended: seen.ended,
    handle: seen.handle,
    lastSequence: seen.sequence,
  });
}

/**
 * Marks a failure as resolved when the same tool succeeds on the same thing, or when the file is written again. For
 * example, a write resolves an edit that found no match.
 */
function addOutcome(
  facts: LedgerFold,
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

/** Returns the line that explains the failure best. */
function errorLine(text: string): string {
  const lines = withoutTracebacks(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return ownCopy(oneLine(lines.find((line) => ERROR_LINE.test(line)) ?? lines[0] ?? '', 200));
}
