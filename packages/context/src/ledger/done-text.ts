import { outcomeOf } from './command-outcome.ts';
import { splitPath } from './file-paths.ts';
import { filesSince, namedFilesText } from './files-text.ts';
import { sequenceOf } from './handle-sequence.ts';
import { isHelper, isResult } from './is-changed.ts';
import type { DoneFact, FileFact, InstructionFact, LedgerFold } from './ledger-facts.ts';
import { isOlderThanRequest, newestRequest } from './next-step.ts';
import { oneLine } from './one-line.ts';
import { todoCounts } from './todo-lines.ts';

export type StateFacts = Omit<LedgerFold, 'files'> & { files: ReadonlyMap<string, FileFact> };

/**
 * Returns what was done for the newest request: the results that the model stated, newest first, the counts of its list,
 * the last commit and the changed files. What precedes the request comes last.
 */
export function doneText(facts: StateFacts, changed: readonly FileFact[]): string {
  const request = newestRequest(facts.instructions);
  const asked = sequenceOf(request?.handle ?? 'm0');
  const results = changed.filter(isResult);
  const deleted = changed.filter(
    (file) => file.actions.has('deleted') && !file.actions.has('created') && !isHelper(file),
  );
  const commit = facts.done.findLast(({ kind }) => kind === 'commit');
  const isNewCommit = commit !== undefined && commit.sequence > asked;
  const now: string[] = [
    ...statedResults(facts),
    ...listCounts(facts),
    ...(isNewCommit ? [commitText(commit)] : []),
    ...shippedSince(facts, asked),
    ...filesOf(namedFirst(filesSince(results, asked), request), 'changed'),
    ...filesOf(filesSince(deleted, asked), 'deleted'),
  ];
  const earlier = [
    ...(commit === undefined || isNewCommit ? [] : [commitText(commit)]),
    ...filesOf(filesUpTo(results, asked), 'changed'),
    ...filesOf(filesUpTo(deleted, asked), 'deleted'),
  ].join(', ');
  if (now.length === 0 && earlier !== '') now.push(`nothing yet since the request (${request?.handle})`);
  if (earlier === '' && results.length + deleted.length === 0) now.push(untouched(changed));
  return `${now.join('; ')}${earlier === '' ? '' : `; before the request: ${earlier}`}`;
}

function filesUpTo(files: readonly FileFact[], sequence: number): FileFact[] {
  const newer = new Set(filesSince(files, sequence));
  return files.filter((file) => !newer.has(file));
}

const RESULTS_CHARS = 340;

/** Of results of these kinds, only the newest is news: of checks, and of causes that were found. */
const KINDS = [
  /^[^.]*\b(?:tests?|checks?|suite|build|lint|compiles?)\b[^.]*\.$/i,
  /\b(?:bug|problem|issue|cause|reason) (?:is|was)\b/i,
];

/** What was stated since the request, newest first. */
function statedResults({ results }: StateFacts): string[] {
  const kinds = new Set<RegExp>();
  const texts: string[] = [];
  let left = RESULTS_CHARS;
  for (const { text, handle } of results.toReversed()) {
    const kind = KINDS.find((each) => each.test(text));
    if (kind !== undefined && kinds.has(kind)) continue;
    if (kind !== undefined) kinds.add(kind);
    left -= text.length;
    if (left < 0 && texts.length > 0) break;
    texts.push(`“${text}” (${handle})`);
  }
  return texts;
}

function listCounts(facts: StateFacts): string[] {
  const counts = todoCounts(facts.todo);
  // A finished list from before the newest request is not the state of it.
  const isOver = counts.done === counts.all && isOlderThanRequest(facts);
  return counts.all === 0 || isOver ? [] : [`${counts.done} of ${counts.all} items of the todo list`];
}

/** What moves the work to another place: a branch, a remote, a pull request. */
const SHIPS = /\bgit (?:push|merge|tag|checkout -b|switch -c)\b[^;&|\n]*|\bgh pr (?:create|merge)\b/;
const MAX_SHIPPED = 2;

function shippedSince({ commands }: StateFacts, asked: number): string[] {
  return [...commands.values()]
    .filter((command) => command.lastSequence > asked && outcomeOf(command) === 'ok')
    .flatMap(({ command, handle }) => {
      const ships = SHIPS.exec(command)?.[0];
      return ships === undefined ? [] : [`\`${oneLine(ships, 60)}\` (${handle})`];
    })
    .slice(-MAX_SHIPPED);
}

function commitText({ text, handle }: DoneFact): string {
  return `last commit “${text}” (${handle})`;
}

function filesOf(files: readonly FileFact[], verb: string): string[] {
  return files.length === 0 ? [] : [namedFilesText(files, verb)];
}

/** The files that the request names come first. */
function namedFirst(files: readonly FileFact[], request: InstructionFact | undefined): FileFact[] {
  const isNamed = ({ path }: FileFact) => request?.text.includes(splitPath(path).name) === true;
  return [...files.filter(isNamed), ...files.filter((file) => !isNamed(file))];
}

function untouched(scratch: readonly FileFact[]): string {
  return scratch.length === 0
    ? 'no file is changed so far'
    : `no project source changed, only helper or temporary files (${scratch.length})`;
}
