import type { Sandbox, WorkspaceFiles } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';

export interface IdleSandboxOptions {
  /** Default: `/workspace`. */
  workspacePath?: string;
  onClose?: () => void;
}

/** Creates a sandbox for runs whose tools need none. It has no files, and every other call fails. */
export function createIdleSandbox(options: IdleSandboxOptions = {}): Sandbox {
  const { workspacePath = '/workspace', onClose } = options;
  const unused = () => Promise.reject(new LonghaulError('internal', 'This sandbox cannot be used.'));
  const files: WorkspaceFiles = {
    root: '/',
    resolve: unused,
    stat: async () => undefined,
    read: unused,
    write: unused,
    list: unused,
  };
  return {
    kind: 'local',
    workspacePath,
    description: 'none',
    exec: unused,
    start: unused,
    files,
    toolFiles: files,
    [Symbol.asyncDispose]: async () => onClose?.(),
  };
}
