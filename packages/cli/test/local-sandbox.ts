import type { SandboxOptions } from '@longhaul/core';
import { chooseSandbox } from '@longhaul/sandbox';

/** Opens the local sandbox of a folder, without limits that a test would notice. */
export function openLocalSandbox(workspace: string, more: Partial<SandboxOptions> = {}) {
  return chooseSandbox('local', {
    sessionId: 's',
    workspace,
    network: 'off',
    memoryMb: 512,
    pids: 64,
    cpus: 1,
    image: '',
    env: {},
    programFolders: [],
    ...more,
  });
}
