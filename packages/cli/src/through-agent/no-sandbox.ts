import type { Sandbox, WorkspaceFiles } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';

/** Recorded results need no place to run in. Whatever asks for one finds an empty workspace and a refusal. */
export function noSandbox(workspace: string): Sandbox {
  const refuse = async (): Promise<never> => {
    throw new LonghaulError('sandbox_failed', 'Nothing runs in a replay: the results are the recorded ones.');
  };
  const files: WorkspaceFiles = {
    root: workspace,
    resolve: refuse,
    stat: async () => undefined,
    read: refuse,
    write: refuse,
    list: async () => [],
  };
  return {
    kind: 'local',
    workspacePath: workspace,
    description: 'none, results are replayed from a recording',
    exec: refuse,
    start: refuse,
    files,
    toolFiles: files,
    [Symbol.asyncDispose]: async () => {},
  };
}
