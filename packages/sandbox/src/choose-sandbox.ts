import type { Sandbox, SandboxKind, SandboxOptions } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { createSandboxDriver } from './create-sandbox-driver.ts';

/** The drivers that `auto` tries, in this order. `local` isolates nothing, so `auto` never chooses it. */
export const AUTOMATIC_KINDS: readonly [SandboxKind, SandboxKind] = [
  'docker',
  process.platform === 'darwin' ? 'seatbelt' : 'bubblewrap',
];

export interface ChooseSandboxHooks {
  /** Called for each driver that `auto` cannot use, with the reason. */
  onPassedOver?: (kind: SandboxKind, reason: string) => void;
}

/**
 * Opens a sandbox of the given kind. `auto` opens docker, or else the sandbox of the system,
 * whichever works first: bubblewrap, or seatbelt on macOS. Docker
 * works if its engine answers and the image is local or can be pulled.
 *
 * @throws {LonghaulError} `sandbox_unavailable`, with what to install; `cancelled`.
 */
export async function chooseSandbox(
  kind: 'auto' | SandboxKind,
  options: SandboxOptions,
  hooks: ChooseSandboxHooks = {},
): Promise<Sandbox> {
  if (kind !== 'auto') return createSandboxDriver(kind).open(options);
  const reasons: string[] = [];
  for (const candidate of AUTOMATIC_KINDS) {
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
    `No sandbox works on this machine. ${reasons.join(' ')} To run commands without isolation, set \`sandbox.driver: local\`.`,
  );
}
