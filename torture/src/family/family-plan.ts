/** The work of a tortured family: rounds of tasks for children, each with effects that can be counted. */

/** The start of the parent's last answer. */
export const FINAL = 'FINAL:';

export const FAMILY_TASK =
  'Lead the family. In each round, start three children at once, the third one in the background. Stop when `progress` returns finish yes and every child has answered.';

/** What a child is called: `4.1` is the first child of the fourth round, and `4.1.1` its own child. */
export type ChildName = string;

/** A call of `task` for one child. */
export interface PlannedTask {
  name: ChildName;
  isBackground: boolean;
}

export function tasksOf(round: number): PlannedTask[] {
  return [1, 2, 3].map((place) => ({ name: `${round}.${place}`, isBackground: place === 3 }));
}

/** The first child of every second round has a child of its own. */
export function ownChildOf(name: ChildName): ChildName | undefined {
  const [round = '', place, ...deeper] = name.split('.');
  return place === '1' && deeper.length === 0 && Number(round) % 2 === 0 ? `${name}.1` : undefined;
}

export function effectsOf(name: ChildName): string[] {
  return [`${name}/a`, `${name}/b`];
}

export function promptOf(name: ChildName): string {
  return `You are child ${name}: make your effects.`;
}

export function nameIn(text: string): ChildName | undefined {
  return /You are child ([\d.]*\d):/.exec(text)?.[1];
}

/** The start of a child's answer. */
export function answerOf(name: ChildName): string {
  return `RESULT ${name}:`;
}

/** Names of the children whose answers a text contains. */
export function answersIn(text: string): ChildName[] {
  return [...text.matchAll(/RESULT ([\d.]*\d):/g)].map(([, name = '']) => name);
}

/** Handles of the calls whose results a text reports, such as `m12.3`. */
export function handlesIn(text: string): string[] {
  return [...text.matchAll(/handle "(m[\d.]+)"/g)].map(([, handle = '']) => handle);
}
