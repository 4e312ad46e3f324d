import { newId } from '@longhaul/core';
import { LonghaulError, type Session, workspaceSourceMetadata } from '@longhaul/protocol';
import type { Agent } from '../compose/open-agent.ts';
import type { AgentPlan } from './run-plan.ts';

/**
 * Creates the session of a run. With a repository, it gets a folder of its own.
 *
 * @throws {LonghaulError} `usage` if there is no place for its folder.
 */
export async function createSession(
  { workspace, task, source }: Extract<AgentPlan, { action: 'start' }>,
  {
    agent: { runtime, movingWorkspaces },
    model,
    named,
  }: { agent: Agent; model: string; named: string | undefined },
): Promise<Session> {
  const metadata = {
    ...(named !== undefined && { agent: named }),
    ...(source && workspaceSourceMetadata(source)),
  };
  if (source === undefined) return await runtime.createSession({ workspace, model, task, metadata });
  if (movingWorkspaces === undefined)
    throw new LonghaulError(
      'usage',
      '--git needs sessions that are stored on disk. Set storage.url to a SQLite or PostgreSQL database.',
    );
  const id = newId();
  const own = await movingWorkspaces.folderOf(id, source);
  return await runtime.createSession({ id, workspace: own, model, task, metadata });
}
