import type { ContractRunner } from './contract-runner.ts';
import { approvalContract } from './store-approval-contract.ts';
import { cancelContract } from './store-cancel-contract.ts';
import type { OpenStore } from './store-fixtures.ts';
import { forkContract } from './store-fork-contract.ts';
import { leaseContract } from './store-lease-contract.ts';
import { logContract } from './store-log-contract.ts';
import { markContract } from './store-mark-contract.ts';
import { outputContract } from './store-output-contract.ts';
import { processContract } from './store-process-contract.ts';
import { queueContract } from './store-queue-contract.ts';
import { revertContract } from './store-revert-contract.ts';
import { searchContract } from './store-search-contract.ts';
import { sessionContract } from './store-session-contract.ts';
import { usageContract } from './store-usage-contract.ts';
import { viewContract } from './store-view-contract.ts';

/**
 * Defines the tests that every store must pass.
 *
 * @example storeContract({ describe, it }, 'memory', async (options) => createMemoryStore(options));
 */
export function storeContract(runner: ContractRunner, name: string, open: OpenStore): void {
  runner.describe(`store contract: ${name}`, () => {
    runner.describe('sessions', () => sessionContract(runner, open));
    runner.describe('leases', () => leaseContract(runner, open));
    runner.describe('cancels', () => cancelContract(runner, open));
    runner.describe('forks', () => forkContract(runner, open));
    runner.describe('log', () => logContract(runner, open));
    runner.describe('views', () => viewContract(runner, open));
    runner.describe('outputs', () => outputContract(runner, open));
    runner.describe('processes', () => processContract(runner, open));
    runner.describe('queue', () => queueContract(runner, open));
    runner.describe('approvals', () => approvalContract(runner, open));
    runner.describe('marks', () => markContract(runner, open));
    runner.describe('reverts', () => revertContract(runner, open));
    runner.describe('search', () => searchContract(runner, open));
    runner.describe('usage', () => usageContract(runner, open));
  });
}
