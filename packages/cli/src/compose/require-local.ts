import type { Config } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';

/**
 * Checks that settings which only `local` can honour are used with it.
 *
 * @throws {LonghaulError} `config_invalid`
 */
export function requireLocal({ driver, env, keepProcesses }: Config['sandbox']): void {
  if (driver === 'local') return;
  if (env === 'all') {
    throw new LonghaulError(
      'config_invalid',
      `sandbox.env is "all", but the sandbox is ${driver}, where the paths in your environment do not exist. Name the variables to pass, or use sandbox.driver: local.`,
    );
  }
  if (keepProcesses) {
    throw new LonghaulError(
      'config_invalid',
      `Processes can be kept after a run (--keep-processes, sandbox.keepProcesses) only with sandbox.driver: local, and the driver is ${driver}.`,
    );
  }
}
