import type { Sandbox, SandboxKind, SandboxOptions } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { createSandboxDriver } from './create-sandbox-driver.ts';

/** What `auto` tries, best first. `local` isolates nothing, so it is never chosen for somebody. */
const AUTOMATIC: readonly SandboxKind[] = ['docker', 'bubblewrap'];

export interface ChooseSandboxHooks {
  /** Told of each driver that `auto` passes over, and why. */
  onPassedOver?: (kind: SandboxKind, reason: string) => void;
}

/**
 * Opens a sandbox of the kind, or with `auto` the first of docker and bubblewrap that works here: docker needs an engine that
 * answers and the image, there or pulled.
 *
 * @throws {LonghaulError} `sandbox_unavailable` with what to install; `cancelled`.
 */
export async function chooseSandbox(
  kind: 'auto' | SandboxKind,
  options: SandboxOptions,
  hooks: ChooseSandboxHooks = {},
): Promise<Sandbox> {
  if (kind !== 'auto') return createSandboxDriver(kind).open(options);
  const reasons: string[] = [];
  for (const candidate of AUTOMATIC) {
    try {
      return await createSandboxDriver(candidate).open(options);
    } catch (error) {
      if (!(error instanceof LonghaulError) || error.code !== 'sandbox_unavailable') throw error;
      reasons.push(`${candidate}: ${error.message}`);
      hooks.onPassedOver?.(candidate, error.message);
    }
  }
  throw new LonghaulError(
    'sandbox_unavailable',
    `No sandbox works on this machine. ${reasons.join(' ')} Without either, commands can run with no isolation by explicit choice: \`sandbox.driver: local\`.`,
  );
}
