import { ownCopy } from '../own-copy.ts';
import type { CommandWork } from './command-work.ts';
import { errorLine } from './error-line.ts';
import { isCheck } from './is-check.ts';
import type { DoneFact, ErrorFact, LedgerFold, ResultFact } from './ledger-facts.ts';
import { oneLine } from './one-line.ts';
import type { ToolFacts } from './tool-facts.ts';

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
    // What `rm` did not find is gone.
    const looks = work === undefined ? seen.looks : work.kind === 'looks' || work.program === 'rm';
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
