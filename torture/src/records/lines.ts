import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** The records that the checks judge by. None of them is written by the code that is judged. */

/** A side effect began. Written by the tool itself, or by its command. */
export interface EffectLine {
  callId: string;
  step: number;
  item: string;
  at: number;
  /** Start of the process, or of the command, that did it. */
  by: string;
}

/** Bytes of an answer reached the agent's process, or the process was about to end itself. */
export type ReceivedLine =
  | { type: 'bytes'; at: number; request: number; data: string }
  | { type: 'died'; at: number; point: string };

/** What a sender wanted to send, and what was acknowledged to it. */
export type QueueLine =
  | { type: 'sending'; at: number; id: string; token: string; number: number }
  | { type: 'acknowledged'; at: number; id: string };

/** Someone asked for the end of whatever drove the session, and was told that it had come. */
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
  /** `killed`: by -9, from outside or at a fault point. `ended`: by itself. */
  end: 'killed' | 'ended';
  /** Of a run that came to its end. */
  status?: string;
  wasCancelled: boolean;
  /** What it wrote to its standard error, if it failed. */
  complaint?: string;
}

/** Appends lines to a file; each is with the kernel before the call returns, so a killed process loses none. */
export interface LineWriter<Line> {
  write(line: Line): void;
}

/** @param isDurable Also brought to the disk before the call returns. */
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

/** The whole lines of a file that these programs wrote; none where there is no file. A last line without its end was never finished. */
export function readLines<Line>(path: string): Line[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Line => JSON.parse(line));
}
