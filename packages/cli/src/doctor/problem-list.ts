import { plural } from '../render/format.ts';

const SHOWN_PROBLEMS = 20;

export function problemList(problems: readonly string[]): string {
  const more = problems.length - SHOWN_PROBLEMS;
  return `${problems.slice(0, SHOWN_PROBLEMS).join('; ')}${more > 0 ? `; and ${plural(more, 'more problem')}` : ''}`;
}
