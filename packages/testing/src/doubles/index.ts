export { createIdleSandbox, type IdleSandboxOptions } from './idle-sandbox.ts';
export * from './memory-workspace.ts';
export * from './pictures.ts';
export * from './played-driver.ts';
export * from './test-runtime.ts';
