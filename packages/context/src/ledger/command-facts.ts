import { ownCopy } from '../own-copy.ts';
import { type CommandWork, isCheck } from './command-work.ts';
import type { DoneFact, ErrorFact, LedgerFold, ResultFact } from './ledger-facts.ts';
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
    text,
    handle,
    sequence,
  }: CallPlace & Pick<ToolFacts, 'exitCode' | 'ended' | 'refused' | 'text'>,
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
    counts: isCheck(work.program) ? countsIn(text) : undefined,
    handle,
    lastSequence: sequence,
  });
}

/** Where programs sum up is at the end. */
const COUNTS_CHARS = 2_000;
const COUNTS = /\b\d{1,9} (?:failed|failing|passed|passing)\b/g;

/** Returns what a check says that passed and failed, from the last such numbers of its output. */
function countsIn(text: string): string | undefined {
  const line = text
    .slice(-COUNTS_CHARS)
    .split('\n')
    .findLast((each) => each.search(COUNTS) !== -1);
  return line === undefined ? undefined : ownCopy((line.match(COUNTS) ?? []).join(', '));
}

/** A ledger shows fewer. */
const MAX_DONE = 300;

export function addDone(facts: LedgerFold, done: DoneFact): void {
  facts.done.push(done);
  if (facts.done.length > MAX_DONE) facts.done.shift();
}

const MAX_RESULTS = 6;

export function addResult(facts: LedgerFold, result: ResultFact): void {
  if (result.text !== '') facts.results = [...facts.results, result].slice(-MAX_RESULTS);
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
  for (const done of [work, ...work.also]) {
    const { program, size } = done;
    // `npm test` without further words covers everything.
    const isWhole = size === program.split(' ').length;
    for (const open of facts.failing.get(program) ?? []) {
      const error = facts.errors.get(open);
      if (error === undefined) continue;
      if (
        error.ran === done.ran ||
        isSameTarget(error, done) ||
        isWhole ||
        !isCheck(program) ||
        size < (error.size ?? 0)
      )
        resolve(facts, open, error);
    }
  }
}

/** Whether two runs end with the same file, whatever options precede it. */
function isSameTarget({ ran = '' }: ErrorFact, done: Pick<CommandWork, 'ran'>): boolean {
  const target = ran.split(' ').at(-1) ?? '';
  return /^\w.*[./]\w/.test(target) && done.ran.endsWith(` ${target}`);
}

function addError(facts: LedgerFold, key: string, error: ErrorFact, work: CommandWork | undefined): void {
  facts.errors.delete(key);
  if (work === undefined) {
    facts.errors.set(key, error);
    return;
  }
  const program = ownCopy(work.program);
  facts.errors.set(key, { ...error, program, size: work.size, ran: ownCopy(work.ran) });
  facts.failing.set(program, (facts.failing.get(program) ?? new Set()).add(key));
}

/** Closes the failures of a program, for example because the model says that all of it passes now. */
export function resolveProgram(facts: LedgerFold, program: string): void {
  for (const key of facts.failing.get(program) ?? []) {
    const error = facts.errors.get(key);
    if (error !== undefined) resolve(facts, key, error);
  }
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
  /error|fail|exception|cannot|not found|denied|refused|assert|expected|ambiguous|matches|malformed|ignored|conflict|fatal|unable|no such/i;
const EXIT_LINE = /^\W*exit(?:ed with)?[ _]?(?:code|status)\b/i;
/** The line after an expected value. */
const FOUND_LINE = /^\s*(?:got|received|actual|found)\b/i;
/** Longer lines are of generated files. */
const MAX_LINE_CHARS = 600;
const MESSAGE_CHARS = 200;

/** Names the cause itself: `TypeError: x is no function`, `src/a.ts(3,1): error TS2304: …`. */
const CAUSE = /(?:[A-Za-z]*(?:Error|Exception)(?: \[\w+\])?|\berror(?: TS\d+|\[\w+\])?|fatal|panic): *\S/;
/** Only names what failed: `FAIL src/a.test.ts`. */
const HEADER = /^\W*(?:FAIL(?:ED|URE)?|not ok|ERROR)\b/;
const TRACEBACK = 'Traceback (most recent call last)';

/** Returns the line that explains the failure best, with the place that it is about. */
function errorLine(text: string): string {
  const lines = withoutTracebacks(text)
    .split('\n')
    .filter((line) => /\w/.test(line) && line.length <= MAX_LINE_CHARS && !NO_CAUSE.test(line));
  // The last cause of Python is the one that ended the program. Compilers begin with the one that leads to the others.
  const isCause = (line: string) => CAUSE.test(line);
  const cause = text.includes(TRACEBACK) ? lines.findLast(isCause) : lines.find(isCause);
  const message = oneLine(cause ?? tellingLine(lines), MESSAGE_CHARS);
  const place =
    PLACE.exec(message) === null
      ? lines.map((line) => (PLACE.exec(line) ?? FILE_LINE.exec(line))?.[1]).find(isText)
      : undefined;
  return ownCopy(place === undefined ? message : `${message} [${place}]`);
}

/** A tag, and what git advises. */
const NO_CAUSE = /^\s*<\/?\w+>\s*$|^hint:/;

function tellingLine(lines: readonly string[]): string {
  const index = lines.findIndex((line) => ERROR_LINE.test(line));
  const line = lines[index] ?? lines.findLast((each) => !EXIT_LINE.test(each)) ?? lines[0] ?? '';
  const next = lines.slice(index + 1).find((each) => !EXIT_LINE.test(each)) ?? '';
  const isJoined =
    index !== -1 && (FOUND_LINE.test(next) || ((HEADER.test(line) || line.endsWith(':')) && next !== ''));
  return isJoined ? `${line}; ${next.trim()}` : line;
}

const PLACE = /((?:[\w@.-]{1,80}\/){0,12}[\w@.-]{1,80}\.[A-Za-z]\w{0,7}(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)))/;

/** A file that a line is about, without a position in it. */
const FILE_LINE = /^(?:patching file '?|\W*FAIL(?:ED)? +)([^\s':]+\.\w+)/;

function isText(place: string | undefined): place is string {
  return place !== undefined;
}
