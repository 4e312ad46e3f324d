import { isBlank, type Session } from '@longhaul/protocol';
import type { NewSession } from '../ports/index.ts';
import { newId } from './ids.ts';

const MAX_TASK_CHARS = 2_000;
const MAX_TITLE_CHARS = 80;

/** Drafts a session for the store. The default title is the first line of the task. */
export function draftSession(
  options: Pick<Session, 'workspace' | 'model' | 'task' | 'metadata'> & { id?: string; title?: string },
): NewSession {
  const { workspace, model, title, metadata } = options;
  const task = options.task.slice(0, MAX_TASK_CHARS);
  return {
    id: options.id ?? newId(),
    createdAt: Date.now(),
    task,
    title: title ?? titleOf(task),
    model,
    workspace,
    metadata,
  };
}

function titleOf(task: string): string {
  const line =
    task
      .split('\n')
      .find((each) => !isBlank(each))
      ?.trim() ?? '';
  return line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, MAX_TITLE_CHARS - 1)}…`;
}
