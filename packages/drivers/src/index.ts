export { createModelDriver, type ModelDriverOptions } from './model-driver.ts';
export type { ProviderKind } from './wire-profile.ts';
