import type { SandboxDriver, SandboxKind } from '@longhaul/core';
import { createBubblewrapDriver } from './bubblewrap/bubblewrap-driver.ts';
import { createDockerDriver } from './docker/docker-driver.ts';
import { createLocalDriver } from './local/local-driver.ts';
import { createSeatbeltDriver } from './seatbelt/seatbelt-driver.ts';

/** Creates the driver of a kind. Cheap: it looks for nothing on the machine until it is probed or opened. */
export function createSandboxDriver(kind: SandboxKind): SandboxDriver {
  switch (kind) {
    case 'docker':
      return createDockerDriver();
    case 'bubblewrap':
      return createBubblewrapDriver();
    case 'seatbelt':
      return createSeatbeltDriver();
    case 'local':
      return createLocalDriver();
  }
}
