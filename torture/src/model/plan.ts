/** The task of a tortured session: numbered steps, each with side effects that can be counted. */

/** `a` and `b` are done by a tool beside each other, `s` by a shell command. */
export type Item = 'a' | 'b' | 's';

export function itemsOf(step: number): Item[] {
  return step % 2 === 0 ? ['a', 'b', 's'] : ['a', 'b'];
}

/** Where the work stands, as a read-only tool tells it. */
export interface Progress {
  step: number;
  missing: Item[];
  /** The work shall come to its end. */
  finish: boolean;
}

/** The first step that is not whole. */
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

/** Starts the final answer, and nothing else. */
export const FINAL = 'FINAL:';
/** The model never stops by itself. */
export const TASK =
  'Do the numbered steps, one after the other. Each has its effects, a and b, and every second one a command, s. ' +
  'Where you cannot see what became of a step, ask `progress` before you do anything. Stop when it says finish yes.';

/** The task with what is to stand in the arguments of every process that a command starts. */
export function taskText(mark: string): string {
  return `${TASK} Mark your commands with ${mark}.`;
}

/** The mark as it stands in a conversation; a compaction keeps the task word for word. */
export function parseMark(text: string): string | undefined {
  return /Mark your commands with (\d+)\./.exec(text)?.[1];
}
