import { handleOf, isOpen, type ToolPart } from '@longhaul/protocol';
import { ownCopy } from '../own-copy.ts';
import { argumentText } from './argument-text.ts';
import { backgroundOf, taskInBackground } from './background-facts.ts';
import { changedFiles } from './changed-files.ts';
import { addCommand, addOutcome, addResult, type CallPlace } from './command-facts.ts';
import { commandWork, shortLine } from './command-work.ts';
import { placeNamedIn } from './exact-names.ts';
import { addFile, addNamedFile } from './file-facts.ts';
import { fileKey } from './file-paths.ts';
import { sequenceOf } from './handle-sequence.ts';
import { keptFactsOf } from './kept-facts.ts';
import type { LedgerFold } from './ledger-facts.ts';
import { addNames } from './name-index.ts';
import { oneLine } from './one-line.ts';
import { isUnverified, withPipedOutcome } from './piped-outcome.ts';
import { saidIn } from './said-note.ts';
import { todoListOf } from './todo-list.ts';
import { type ToolFacts, toolFacts } from './tool-facts.ts';

/** Adds what a finished call did. */
export function addToolCall(facts: LedgerFold, part: ToolPart, sequence: number, index: number): void {
  if (isOpen(part)) return;
  const read = toolFacts(part);
  const work = read.command === undefined ? undefined : commandWork(read.command, read.commands);
  const seen = work === undefined ? read : withPipedOutcome(read, work);
  const place = { handle: handleOf(sequence, index), sequence };
  facts.lastCall = sequence;
  addBackground(facts, part, { seen, handle: place.handle });
  if (setsTodo(facts, part, place.handle)) return;
  const call = seen.command ?? seen.path;
  const label =
    call === undefined
      ? part.name
      : `${part.name}: ${seen.command === undefined ? oneLine(call, 100) : shortLine(call, 100)}`;
  addFiles(facts, part, { seen, ...place });
  if (WORKER.test(part.name) && !seen.failed) addResult(facts, { ...place, text: saidIn(seen.text).result });
  if (work !== undefined)
    addCommand(facts, work, {
      exitCode: seen.exitCode,
      refused: seen.refused,
      text: seen.text,
      ended: seen.ended ?? (part.state === 'completed' ? 'done' : undefined),
      ...place,
    });
  const key = `${work === undefined ? 'path' : 'command'} ${work?.shown ?? call ?? part.name}`;
  if (!isUnverified(seen)) addOutcome(facts, { key, call: label, toolName: part.name, seen, work, ...place });
  if (part.truncated === true) facts.handles.push({ handle: place.handle, what: label });
  addCallNames(facts, part, { seen, ...place });
}

/** A tool whose result is the report of another agent. */
const WORKER = /^(?:task|agent|sub_?agent|dispatch_agent|delegate)$/i;

function addBackground(
  facts: LedgerFold,
  part: ToolPart,
  { seen, handle }: { seen: ToolFacts; handle: string },
): void {
  const background = backgroundOf(part);
  if (background?.runs === false) facts.background.delete(background.handle);
  else if (background !== undefined && !facts.background.has(background.handle) && seen.command !== undefined)
    facts.background.set(background.handle, ownCopy(seen.command));
  const child = taskInBackground(part);
  if (child !== undefined) facts.tasks.set(handle, ownCopy(child));
}

function setsTodo(facts: LedgerFold, part: ToolPart, handle: string): boolean {
  const todo = todoListOf(part, facts.todo);
  if (todo === undefined) return false;
  facts.todo = todo;
  addNames(facts.names, todo, { source: 'calls', sequence: sequenceOf(handle) });
  facts.todoHandle = handle;
  const kept = keptFactsOf(part);
  if (kept !== undefined) facts.kept = { facts: kept, handle };
  return true;
}

type SeenCall = CallPlace & { seen: ToolFacts };

function addFiles(facts: LedgerFold, part: ToolPart, { seen, handle, sequence }: SeenCall): void {
  if (seen.path !== undefined && seen.action !== undefined)
    addFile(facts, { path: seen.path, action: seen.action, handle, sequence });
  for (const { path, action, from } of changedFiles(part, seen)) {
    const isKnown = isKnownFile(facts, fileKey(path));
    const change = action === 'written' ? (isKnown ? 'modified' : 'created') : action;
    addFile(facts, { path: ownCopy(path), action: change, handle, sequence, from });
  }
}

/** Whether an earlier call named the file, from the root of the workspace or by an absolute path, and it still exists. */
function isKnownFile({ files }: LedgerFold, key: string): boolean {
  const isSame = (known: string) =>
    known.endsWith(`/${key}`) || (known.includes('/') && key.endsWith(`/${known}`));
  const known = files.get(key) ?? [...files.values()].find((file) => isSame(file.key));
  return known !== undefined && !known.actions.has('deleted') && !known.actions.has('moved');
}

/** Assigns names to the file that the call was about. */
function addCallNames(facts: LedgerFold, part: ToolPart, { seen, handle, sequence }: SeenCall): void {
  const input = argumentText(part.input);
  const path = seen.path ?? placeNamedIn(input);
  // The workspace itself does not distinguish names.
  const file = path === undefined || path === '.' ? undefined : ownCopy(fileKey(path));
  if (path !== undefined && file !== undefined) addNamedFile(facts, path, { handle, sequence });
  addNames(facts.names, input, { source: 'calls', sequence, file });
  addNames(facts.names, seen.text, { source: 'results', sequence, file });
}
