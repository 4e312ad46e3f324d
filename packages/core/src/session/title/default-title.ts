import { isBlank, type Session } from '@longhaul/protocol';
import { COPY_ENDING } from './copy-title.ts';

const MAX_TASK_CHARS = 2_000;
export const MAX_TITLE_CHARS = 80;

/** The title of a session whose task is not known yet. */
const UNNAMED = 'New session';

/** Returns the title of a session that nobody has named: the first line of its task. */
export function defaultTitle(task: string): string {
  const line =
    task
      .split('\n')
      .find((each) => !isBlank(each))
      ?.trim() ?? '';
  if (line === '') return UNNAMED;
  return line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, MAX_TITLE_CHARS - 1)}…`;
}

/** Whether a title has the same letters and digits as another one. */
export function isSameTitle(one: string, other: string): boolean {
  const [letters, others] = [one, other].map((title) => title.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase());
  return letters === others;
}

/** Returns the part of a text that is stored as the task of a session. */
export function taskOf(text: string): string {
  return text.slice(0, MAX_TASK_CHARS);
}

/** Whether the session was created without a task and a title. */
export function isUnnamed({ title, task }: Pick<Session, 'title' | 'task'>): boolean {
  return task === '' && (title === '' || title === UNNAMED);
}

/** Whether nobody has named the session: its title is the default one, or that of a copy. */
export function hasDefaultTitle({ title, task }: Pick<Session, 'title' | 'task'>): boolean {
  const own = title.replace(COPY_ENDING, '');
  return own === '' || own === UNNAMED || own === defaultTitle(task);
}
