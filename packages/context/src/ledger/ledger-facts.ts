import type { KeptFacts } from './kept-facts.ts';
import { createNameIndex, type NameIndex } from './name-index.ts';
import type { FileAction } from './tool-facts.ts';

/** A message that the user wrote. */
export interface InstructionFact {
  messageId: string;
  text: string;
  handle: string;
  /** The question of the model that a short message answers. */
  answers?: string | undefined;
  /** What of the model's text before it a short message points to. */
  about?: string | undefined;
}

export interface FileFact {
  /** See `fileKey`. */
  key: string;
  /** As it was spelled last. */
  path: string;
  /** Empty if only commands name the file. */
  actions: Set<FileAction>;
  /** Where it was before it was moved. */
  from?: string;
  /** The call that read or changed it last. */
  handle: string;
  lastSequence: number;
  /** Whether it is a script of the work itself. Only set while a ledger is rendered; see `withHelpers`. */
  isHelper?: true;
  /** The call that changed it last. */
  changed?: { handle: string; sequence: number };
}

/** A command that did more than look at files; see `commandWork`. */
export interface CommandFact {
  command: string;
  /** See `CommandWork`. */
  program: string;
  count: number;
  exitCode?: number;
  ended?: string;
  /** What it counted in its last run, such as `12 passed, 1 failed`. */
  counts?: string;
  handle: string;
  lastSequence: number;
}

export interface ErrorFact {
  /** The call that failed, such as `bash: npm test`. */
  call: string;
  toolName: string;
  message: string;
  /** The program that failed, and the number of its words. Absent if no command failed. */
  program?: string;
  size?: number;
  /** See `CommandWork`. */
  ran?: string;
  resolved: boolean;
  handle: string;
  /** The message in which the model says that the failure is older than the work. */
  excused?: string;
}

/** A commit, or what the model said at the end of a turn in which it changed files. */
export interface DoneFact {
  handle: string;
  sequence: number;
  kind: 'commit' | 'note';
  text: string;
}

/** What the model, or a worker of it, said that is done or found; see `saidIn`. */
export type ResultFact = Omit<DoneFact, 'kind'>;

/** What the model said that says something of the work; see `saidIn`. */
export interface ReportFact extends Omit<DoneFact, 'kind'> {
  /** Whether it ends a turn: its message has no calls. */
  endsTurn: boolean;
}

/** The facts of a session up to some message. It grows message by message, and never reads a summary. */
export interface LedgerFold {
  instructions: InstructionFact[];
  /** Sequence of the newest instruction; 0 before the first one. */
  turnStart: number;
  /** The end of the model's newest text, until the user answers: a question is looked for in it. */
  said?: string;
  /** The newest one. */
  report?: ReportFact;
  /** The newest sentences since the newest instruction that report what is done. Oldest first. */
  results: ResultFact[];
  /** What the model's newest text says that comes next, until the user answers. */
  intent?: Omit<DoneFact, 'kind'>;
  /** What was done, oldest first: the newest hundreds. */
  done: DoneFact[];
  /** The newest todo list, as its tool returned it. */
  todo?: string;
  /** The call that returned it. */
  todoHandle?: string;
  /** The facts that the model keeps. Absent until it keeps some. */
  kept?: KeptFacts;
  files: Map<string, FileFact>;
  /** Sequence of the newest change of a file; 0 before the first one. */
  lastChange: number;
  /** Sequence of the newest finished call; 0 before the first one. */
  lastCall: number;
  commands: Map<string, CommandFact>;
  /** The newest failure of each command and on each path, newest last. */
  errors: Map<string, ErrorFact>;
  /** Keys in `errors` of the open failures of each program. */
  failing: Map<string, Set<string>>;
  /** The exact names, and where they occurred. */
  names: NameIndex;
  /** Commands that run in the background, by their handle. */
  background: Map<string, string>;
  /** What child sessions in the background do, by the handle of the call that started each. */
  tasks: Map<string, string>;
  /** Outputs whose full text only `recall` returns. */
  handles: { handle: string; what: string }[];
}

/** Creates the facts of an empty log, for `foldMessage`. */
export function createLedgerFold(): LedgerFold {
  return {
    instructions: [],
    turnStart: 0,
    results: [],
    done: [],
    files: new Map(),
    lastChange: 0,
    lastCall: 0,
    commands: new Map(),
    errors: new Map(),
    failing: new Map(),
    names: createNameIndex(),
    background: new Map(),
    tasks: new Map(),
    handles: [],
  };
}
