import type { Sandbox } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';

export interface IdleSandboxOptions {
  /** Default: `/workspace`. */
  workspacePath?: string;
  onClose?: () => void;
}

/** For runs whose tools need none: it holds no files, and whatever else is asked of it fails. */
export function createIdleSandbox(options: IdleSandboxOptions = {}): Sandbox {
  const { workspacePath = '/workspace', onClose } = options;
  const unused = () => Promise.reject(new LonghaulError('internal', 'This sandbox is not to be used.'));
  return {
    kind: 'local',
    workspacePath,
    description: 'none',
    exec: unused,
    files: {
      root: '/',
      resolve: unused,
      stat: async () => undefined,
      read: unused,
      write: unused,
      list: unused,
    },
    [Symbol.asyncDispose]: async () => onClose?.(),
  };
}
