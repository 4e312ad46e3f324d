import { filesSince } from './files-text.ts';
import { sequenceOf } from './handle-sequence.ts';
import type {
  CommandFact,
  DoneFact,
  ErrorFact,
  FileFact,
  InstructionFact,
  LedgerFold,
} from './ledger-facts.ts';
import { isJudgedCheck } from './piped-outcome.ts';

export interface Work {
  facts: Pick<
    LedgerFold,
    | 'instructions'
    | 'todo'
    | 'todoHandle'
    | 'commands'
    | 'done'
    | 'lastChange'
    | 'lastCall'
    | 'report'
    | 'said'
    | 'intent'
    | 'tasks'
  >;
  /** Newest first. */
  changed: readonly FileFact[];
  /** Newest first. */
  errors: readonly ErrorFact[];
}

export interface Situation extends Work {
  request: InstructionFact | undefined;
  commit: DoneFact | undefined;
  /** The newest check whose outcome is known. */
  check: CommandFact | undefined;
  /** Sequence of the newest change, command or commit. */
  lastStep: number;
  /** Sequence of the newest of these, and of the request. */
  lastEvent: number;
  /** Whether nothing was changed, run or tried since the request. */
  isNew: boolean;
  /** Files that changed after a message. */
  since: (sequence: number) => readonly FileFact[];
}

export function situationOf(work: Work, request: InstructionFact | undefined): Situation {
  const { facts, changed, errors } = work;
  const commands = [...facts.commands.values()];
  const commit = facts.done.findLast(({ kind }) => kind === 'commit');
  const lastStep = Math.max(facts.lastChange, commands.at(-1)?.lastSequence ?? 0, commit?.sequence ?? 0);
  const requestAt = sequenceOf(request?.handle ?? 'm0');
  return {
    ...work,
    request,
    commit,
    check: commands.findLast(isJudgedCheck),
    lastStep,
    lastEvent: Math.max(lastStep, requestAt),
    isNew: requestAt > Math.max(lastStep, failedAt(errors)),
    since: (sequence) => filesSince(changed, sequence),
  };
}

/** Sequence of the newest failure; 0 without one. */
export function failedAt([failed]: readonly ErrorFact[]): number {
  return failed === undefined ? 0 : sequenceOf(failed.handle);
}
