export { blobStoreContract } from './blob-store-contract.ts';
export type { ContractRunner } from './contract-runner.ts';
export {
  describeModelDriver,
  type ModelAnswer,
  type ModelAnswerKind,
  type ModelDriverHarness,
} from './model-driver-contract.ts';
export { type SandboxContractRunner, type SandboxHarness, sandboxContract } from './sandbox-contract.ts';
export { storeContract } from './store-contract.ts';
export { heldSession, type OpenStore } from './store-fixtures.ts';
