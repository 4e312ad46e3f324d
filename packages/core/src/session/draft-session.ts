import type { Session } from '@longhaul/protocol';
import type { NewSession } from '../ports/index.ts';
import { newId } from './ids.ts';
import { defaultTitle, taskOf } from './title/default-title.ts';

/** Drafts a session for the store. The default title is the first line of the task. */
export function draftSession(
  options: Pick<Session, 'workspace' | 'model' | 'task' | 'metadata'> & { id?: string; title?: string },
): NewSession {
  const { workspace, model, title, metadata } = options;
  const task = taskOf(options.task);
  return {
    id: options.id ?? newId(),
    createdAt: Date.now(),
    task,
    title: title ?? defaultTitle(task),
    model,
    workspace,
    metadata,
  };
}
