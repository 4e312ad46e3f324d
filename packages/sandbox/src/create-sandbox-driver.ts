import type { SandboxDriver, SandboxKind } from '@longhaul/core';
import { createBubblewrapDriver } from './bubblewrap/bubblewrap-driver.ts';
import { createDockerDriver } from './docker/docker-driver.ts';
import { createLocalDriver } from './local/local-driver.ts';

/** The driver of a kind. Cheap: nothing is looked for until it is probed or opened. */
export function createSandboxDriver(kind: SandboxKind): SandboxDriver {
  switch (kind) {
    case 'docker':
      return createDockerDriver();
    case 'bubblewrap':
      return createBubblewrapDriver();
    case 'local':
      return createLocalDriver();
  }
}
