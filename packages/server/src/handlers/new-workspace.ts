import { newId } from '@longhaul/core';
import {
  type JsonObject,
  LonghaulError,
  MACHINE_KEY,
  type WorkspaceSource,
  workspaceSourceMetadata,
} from '@longhaul/protocol';
import type { CreateSessionBody } from '@longhaul/protocol/api';
import type { HandlerContext } from './handler-context.ts';

/** Where a new session works. */
export interface NewWorkspace {
  sessionId: string;
  workspace: string;
  metadata: JsonObject;
}

/**
 * Finds the folder that a client names, or a new one for a repository or a copy. A session in such a folder can move
 * between machines.
 *
 * @throws {LonghaulError} `workspace_not_allowed`, `invalid_request`; the errors of recording the copied folder.
 */
export async function newWorkspace(
  wanted: CreateSessionBody['workspace'],
  { workspaces, dispatcher, ownFolders }: Pick<HandlerContext, 'workspaces' | 'dispatcher' | 'ownFolders'>,
): Promise<NewWorkspace> {
  const sessionId = newId();
  if (wanted === undefined || typeof wanted === 'string') {
    const workspace = await workspaces.resolve(wanted);
    return {
      sessionId,
      workspace,
      metadata: dispatcher === undefined ? {} : { [MACHINE_KEY]: dispatcher.machine },
    };
  }
  const moving = ownFolders?.workspaces();
  if (ownFolders === undefined || moving === undefined)
    throw new LonghaulError(
      'invalid_request',
      'This server keeps its sessions in memory, so it has no folders for them. Name a folder of server.workspaces.',
    );
  if ('git' in wanted) ownFolders.requireGit({ url: wanted.git, ref: wanted.ref });
  const source: WorkspaceSource =
    'git' in wanted
      ? { git: { url: wanted.git, ref: wanted.ref } }
      : {
          tree:
            wanted.copyOf === null ? undefined : await moving.record(await workspaces.resolve(wanted.copyOf)),
        };
  return {
    sessionId,
    workspace: await moving.folderOf(sessionId, source),
    metadata: workspaceSourceMetadata(source),
  };
}
