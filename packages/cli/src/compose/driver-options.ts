import type { ResolvedWindow } from '@longhaul/config';
import type { ModelDriver } from '@longhaul/core';
import type { ServerMemory } from '@longhaul/models';

export interface DriverOptions {
  /** `--window`. */
  window?: number;
  stallMs: number;
  /** Nobody waits for the driver any more. A model that runs inside Longhaul need not be loaded further. */
  signal?: AbortSignal | undefined;
  /** Asks no server, and sends requests through this `fetch`. */
  offline?: { fetch: typeof globalThis.fetch };
  /** Keeps what servers' refusals teach. Absent: it is learned for this driver alone. */
  memory?: Promise<ServerMemory>;
}

export interface OpenDriver {
  driver: ModelDriver;
  window: ResolvedWindow;
}
