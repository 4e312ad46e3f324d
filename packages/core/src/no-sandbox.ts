import { LonghaulError } from '@longhaul/protocol';
import type { Sandbox, WorkspaceFiles } from './ports/index.ts';

/** What the model and tools learn about a missing sandbox. */
export interface NoSandboxOptions {
  /** Default: `/workspace`. It need not exist. */
  workspacePath?: string;
  /** One line for the system prompt. Default: `none`. */
  description?: string;
  /** The message of the error with which commands and file accesses fail. */
  refusal?: string;
}

/**
 * Creates the sandbox of an agent whose tools need neither commands nor files. Its workspace is empty, and whatever
 * tries to use it fails with `sandbox_failed`.
 */
export function createNoSandbox(options: NoSandboxOptions = {}): Sandbox {
  const {
    workspacePath = '/workspace',
    description = 'none',
    refusal = 'This agent has no sandbox: it can neither run commands nor use files. Pass openSandbox to give it one.',
  } = options;
  const refuse = async (): Promise<never> => {
    throw new LonghaulError('sandbox_failed', refusal);
  };
  const files: WorkspaceFiles = {
    root: workspacePath,
    resolve: refuse,
    stat: async () => undefined,
    read: refuse,
    write: refuse,
    list: async () => [],
  };
  return {
    kind: 'local',
    workspacePath,
    description,
    exec: refuse,
    start: refuse,
    files,
    toolFiles: files,
    [Symbol.asyncDispose]: async () => {},
  };
}
