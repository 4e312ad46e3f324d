import { ownCopy } from '../own-copy.ts';
import { type CommandWork, isCheck } from './command-work.ts';
import type { DoneFact, ErrorFact, LedgerFold } from './ledger-facts.ts';
import { oneLine } from './one-line.ts';
import type { ToolFacts } from './tool-facts.ts';
import { withoutTracebacks } from './tracebacks.ts';

/** Where a call is. */
export interface CallPlace {
  handle: string;
  sequence: number;
}

const SUBJECT_CHARS = 160;

/** Adds a command that ran a program, and the commits that it made. */
export function addCommand(
  facts: LedgerFold,
  work: CommandWork,
  {
    exitCode,
    ended,
    refused,
    handle,
    sequence,
  }: CallPlace & Pick<ToolFacts, 'exitCode' | 'ended' | 'refused'>,
): void {
  const isDone = exitCode === undefined ? ended === 'done' : exitCode === 0;
  for (const subject of isDone ? work.commits : [])
    addDone(facts, { handle, sequence, kind: 'commit', text: ownCopy(oneLine(subject, SUBJECT_CHARS)) });
  if (work.kind !== 'runs' || refused) return;
  const known = facts.commands.get(work.shown);
  facts.commands.delete(work.shown);
  facts.commands.set(work.shown, {
    command: work.shown,
    program: ownCopy(work.program),
    count: (known?.count ?? 0) + 1,
    exitCode,
    ended,
    handle,
    lastSequence: sequence,
  });
}

/** A ledger shows fewer. */
const MAX_DONE = 300;

export function addDone(facts: LedgerFold, done: DoneFact): void {
  facts.done.push(done);
  if (facts.done.length > MAX_DONE) facts.done.shift();
}

interface Outcome extends CallPlace {
  /** What failed or succeeded: the same for each try. */
  key: string;
  /** The call as a person reads it. */
  call: string;
  toolName: string;
  seen: ToolFacts;
  work: CommandWork | undefined;
}

/**
 * Adds a failure, or resolves the failures that a success refutes: of the same tool on the same thing, and of an edit
 * of a file that is written again. A command that succeeds resolves failures of the same program. If the program is a
 * check, it only resolves those that covered less.
 *
 * A failed attempt to look at something is no failure of the work, nor is a call that the user refused.
 */
export function addOutcome(facts: LedgerFold, { key, call, toolName, seen, work, handle }: Outcome): void {
  if (seen.failed) {
    const looks = work === undefined ? seen.looks : work.kind === 'looks';
    if (!looks && !seen.refused)
      addError(facts, key, { call, toolName, message: errorLine(seen.text), resolved: false, handle }, work);
    return;
  }
  const known = facts.errors.get(key);
  const isWritten = seen.action === 'created' || seen.action === 'modified';
  if (known !== undefined && (known.toolName === toolName || isWritten)) resolve(facts, key, known);
  if (work === undefined) return;
  const { program, size } = work;
  // `npm test` without further words covers everything.
  const isWhole = size === program.split(' ').length;
  for (const open of facts.failing.get(program) ?? []) {
    const error = facts.errors.get(open);
    if (error === undefined) continue;
    if (isWhole || !isCheck(program) || size < (error.size ?? 0)) resolve(facts, open, error);
  }
}

function addError(facts: LedgerFold, key: string, error: ErrorFact, work: CommandWork | undefined): void {
  facts.errors.delete(key);
  if (work === undefined) {
    facts.errors.set(key, error);
    return;
  }
  const program = ownCopy(work.program);
  facts.errors.set(key, { ...error, program, size: work.size });
  facts.failing.set(program, (facts.failing.get(program) ?? new Set()).add(key));
}

function resolve({ failing }: LedgerFold, key: string, error: ErrorFact): void {
  error.resolved = true;
  const { program } = error;
  const open = program === undefined ? undefined : failing.get(program);
  if (program === undefined || open === undefined) return;
  open.delete(key);
  if (open.size === 0) failing.delete(program);
}

const ERROR_LINE =
  /error|fail|exception|cannot|not found|denied|refused|assert|expected|ambiguous|matches|malformed|fatal|unable|no such/i;
const EXIT_LINE = /^\W*exit(?:ed with)?[ _]?(?:code|status)\b/i;
/** The line after an expected value. */
const FOUND_LINE = /^\s*(?:got|received|actual|found)\b/i;
/** Longer lines are of generated files. */
const MAX_LINE_CHARS = 600;
const MESSAGE_CHARS = 200;

/** Returns the line that explains the failure best, with the place that it is about. */
function errorLine(text: string): string {
  const lines = withoutTracebacks(text)
    .split('\n')
    .filter((line) => line.trim() !== '' && line.length <= MAX_LINE_CHARS);
  const index = lines.findIndex((line) => ERROR_LINE.test(line));
  const next = lines[index + 1] ?? '';
  const found = index !== -1 && FOUND_LINE.test(next) ? `; ${next.trim()}` : '';
  const telling = lines[index] ?? lines.findLast((line) => !EXIT_LINE.test(line)) ?? lines[0] ?? '';
  const message = oneLine(telling + found, MESSAGE_CHARS);
  const place =
    PLACE.exec(message) === null
      ? lines.map((line) => (PLACE.exec(line) ?? PATCHED.exec(line))?.[1]).find(isText)
      : undefined;
  return ownCopy(place === undefined ? message : `${message} [${place}]`);
}

const PLACE = /((?:[\w@.-]{1,80}\/){0,12}[\w@.-]{1,80}\.[A-Za-z]\w{0,7}(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)))/;

const PATCHED = /^patching file '?([^\s']+)/;

function isText(place: string | undefined): place is string {
  return place !== undefined;
}
