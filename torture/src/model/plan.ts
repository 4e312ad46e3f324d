/** The task of a tortured session: numbered steps, each with side effects that can be counted. */

/** `a` and `b` are done by parallel tool calls, `s` by a shell command. */
export type Item = 'a' | 'b' | 's';

export function itemsOf(step: number): Item[] {
  return step % 2 === 0 ? ['a', 'b', 's'] : ['a', 'b'];
}

/** The progress of the work, as a read-only tool returns it. */
export interface Progress {
  step: number;
  missing: Item[];
  /** Whether the model should finish. */
  finish: boolean;
}

/** Returns the first incomplete step. */
export function progressOf(done: ReadonlySet<string>, finish: boolean): Progress {
  for (let step = 1; ; step += 1) {
    const missing = itemsOf(step).filter((item) => !done.has(`${step}.${item}`));
    if (missing.length > 0) return { step, missing, finish };
  }
}

export function progressText({ step, missing, finish }: Progress): string {
  return `next ${step} missing ${missing.join(',')} finish ${finish ? 'yes' : 'no'}`;
}

export function parseProgress(text: string): Progress | undefined {
  const [, step, items = '', finish] = /next (\d+) missing ([abs,]+) finish (yes|no)/.exec(text) ?? [];
  if (step === undefined) return undefined;
  const missing = items.split(',').filter((item): item is Item => /^[abs]$/.test(item));
  return { step: Number(step), missing, finish: finish === 'yes' };
}

export function doneText(step: number, item: Item, finish: boolean): string {
  return `done ${step}.${item} finish ${finish ? 'yes' : 'no'}`;
}

export function parseDone(text: string): { step: number; finish: boolean } | undefined {
  const [, step, finish] = /done (\d+)\.[abs](?: finish (yes|no))?/.exec(text) ?? [];
  return step === undefined ? undefined : { step: Number(step), finish: finish === 'yes' };
}

/** The start of the final answer. No other answer contains it. */
export const FINAL = 'FINAL:';
/** The scripted model does not stop until `progress` reports `finish yes`. */
export const TASK =
  'Do the numbered steps in order. Each step has the effects a and b, and every second step a command s. ' +
  'If you cannot see the outcome of a step, call `progress` before you do anything else. Stop when it returns finish yes.';

/** Returns the task with the mark that must appear in the arguments of every process that a command starts. */
export function taskText(mark: string): string {
  return `${TASK} Mark your commands with ${mark}.`;
}

/** Finds the mark in a conversation. A compaction keeps the task verbatim. */
export function parseMark(text: string): string | undefined {
  return /Mark your commands with (\d+)\./.exec(text)?.[1];
}
