export { type AiSdkDriverOptions, createAiSdkDriver } from './ai-sdk-driver.ts';
export type { AiSdkKind } from './wire-profile.ts';
