import { runsInBackground } from './runs-in-background.ts';
import { backgroundContract } from './sandbox-background-contract.ts';
import { execContract } from './sandbox-exec-contract.ts';
import { workspaceFilesContract } from './sandbox-files-contract.ts';
import type { SandboxContractRunner, SandboxHarness } from './sandbox-fixtures.ts';
import { isolationContract } from './sandbox-isolation-contract.ts';
import { processContract } from './sandbox-process-contract.ts';
import { recordContract } from './sandbox-record-contract.ts';

export type { SandboxContractRunner, SandboxHarness } from './sandbox-fixtures.ts';

/**
 * Defines the tests that every sandbox must pass, attempts to escape included. Needs Linux: it reads processes from
 * /proc.
 *
 * @example sandboxContract({ describe, it, skip: (name) => it.skip(name) }, 'docker', { driver, image, leftovers });
 */
export function sandboxContract(runner: SandboxContractRunner, name: string, harness: SandboxHarness): void {
  runner.describe(`sandbox contract: ${name}`, () => {
    runner.describe('commands', () => execContract(runner, harness));
    runner.describe('processes', () => processContract(runner, harness));
    runner.describe('records', () => recordContract(runner, harness));
    runner.describe('isolation', () => isolationContract(runner, harness));
    runner.describe('background', () => backgroundContract(runner, harness));
    runner.describe('isolation of background commands', () =>
      isolationContract(runner, { ...harness, driver: runsInBackground(harness.driver) }),
    );
    runner.describe('files', () => workspaceFilesContract(runner, harness));
  });
}
