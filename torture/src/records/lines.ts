import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * The records that the checks use. None of them is written by the code under test. All times are true times
 * (`trueTime`).
 */

/** The start of a side effect. Written by the tool or by its command. */
export interface EffectLine {
  callId: string;
  step: number;
  item: string;
  at: number;
  /** The process or command that started the effect. */
  by: string;
  /** The life that ran the call. */
  life: number;
}

/** A command or one of its children is running. Written by the command every few milliseconds. */
export interface TickLine {
  callId: string;
  life: number;
  at: number;
}

/** What a process that drives the session notes about itself. `request` counts the requests of the process. */
export type ReceivedLine =
  /** Its run holds the session and is about to open its sandbox. */
  | { type: 'run'; at: number }
  /** A tool is about to start. */
  | { type: 'tool'; at: number; name: string }
  /** A request is about to leave. */
  | { type: 'asked'; at: number; request: number }
  /** Bytes of an answer have arrived. */
  | { type: 'bytes'; at: number; request: number; data: string }
  /** It is about to kill or stop itself. */
  | { type: 'died' | 'froze'; at: number; point: string };

/** A message that a sender is about to send, or an acknowledgement. */
export type QueueLine =
  | { type: 'sending'; at: number; id: string; token: string; number: number }
  | { type: 'acknowledged'; at: number; id: string };

/** Times at which a cancel was requested and answered. */
export interface CancelLine {
  askedAt: number;
  answeredAt: number;
}

/** One process that drove the session, as its parent saw it. */
export interface LifeLine {
  life: number;
  pid: number;
  startedAt: number;
  endedAt: number;
  plan: string;
  /** How it called the model. */
  client: string;
  /** `killed`: by SIGKILL, from outside or at a fault point. `ended`: it exited. */
  end: 'killed' | 'ended';
  /** Status of its run, if the run ended. */
  status?: string;
  wasCancelled: boolean;
  /** When it was stopped with SIGSTOP, and when it was continued, if it was. */
  frozenAt?: number;
  thawedAt?: number;
  /** Description of the error with which its run ended. */
  error?: string;
  /** Description of the failure or its standard error output, if the process failed. */
  complaint?: string;
}

/** The commands that run beside the lives of a session. A kind with a hyphen is a command with that flag. */
export const COMMAND_KINDS = [
  'import',
  'fork',
  'fork-files',
  'compact',
  'gc',
  'revert',
  'revert-files',
  'revert-conversation',
  'unrevert',
] as const;

export type CommandKind = (typeof COMMAND_KINDS)[number];

/** Commands that move the session that the lives drive, and cancel its run before. */
export const REVERTS: readonly CommandKind[] = ['revert', 'revert-files', 'revert-conversation', 'unrevert'];

/** One process that ran a command beside the lives, as its parent saw it. */
export interface CommandLine {
  number: number;
  kind: CommandKind;
  startedAt: number;
  endedAt: number;
  plan: string;
  end: 'killed' | 'ended';
  /** Whether it exited with code 0. */
  isDone: boolean;
  /** It reported that everything was so already, and that it changed nothing. */
  isUnchanged?: boolean | undefined;
  /** Sequence of the message that its arguments name. */
  message?: number | undefined;
  /** The session that it reported as created. */
  sessionId?: string | undefined;
  /** The point at which it killed itself. */
  diedAt?: string | undefined;
  /** Description of its failure, if no plan allows it. */
  complaint?: string | undefined;
}

/** A revert whose files were not all restored when its command was killed. */
export interface RevertLine {
  to: number;
  treeBefore: string;
  treeAfter: string;
  undoes?: string;
}

/**
 * Appends lines to a file. Each line is passed to the kernel before the call returns, so a killed process loses none.
 */
export interface LineWriter<Line> {
  write(line: Line): void;
}

/** @param isDurable Also syncs each line to the disk before the call returns. */
export function openLines<Line>(path: string, isDurable = false): LineWriter<Line> & Disposable {
  const file = openSync(path, 'a', 0o600);
  return {
    write(line) {
      writeSync(file, `${JSON.stringify(line)}\n`);
      if (isDurable) fsyncSync(file);
    },
    [Symbol.dispose]: () => closeSync(file),
  };
}

/** Returns the complete lines of a record file; none if the file does not exist. Ignores an incomplete last line. */
export function readLines<Line>(path: string): Line[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Line => JSON.parse(line));
}
