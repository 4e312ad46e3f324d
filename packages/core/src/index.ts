export { type AiSdkDriverOptions, createAiSdkDriver } from './drivers/ai-sdk-driver.ts';
export type { AiSdkKind } from './drivers/wire-profile.ts';
export type * from './ports/index.ts';
export type { SessionHistory, Tool, ToolContext, ToolInput, ToolResult } from './tools/tool.ts';
