import type { SessionInfo } from '@longhaul/protocol/api';

/** A session for tests. */
export function sessionInfo(fields: Partial<SessionInfo> & { id: string }): SessionInfo {
  return {
    title: 'Title',
    task: 'Task',
    model: 'local/test',
    workspace: '/work/project',
    status: 'completed',
    state: 'completed',
    createdAt: 1_000,
    updatedAt: 2_000,
    ...fields,
  };
}
