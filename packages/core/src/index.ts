export { type AiSdkDriverOptions, createAiSdkDriver } from './drivers/ai-sdk-driver.ts';
export type { AiSdkKind } from './drivers/wire-profile.ts';
export type * from './ports/index.ts';
export { createTools, type ToolsOptions } from './tools/create-tools.ts';
export { sanitizeText, sanitizeToolResult } from './tools/output-sanitizer.ts';
export type { SessionHistory, Tool, ToolContext, ToolInput, ToolResult } from './tools/tool.ts';
export {
  type CutNotice,
  DEFAULT_MAX_TOOL_OUTPUT_CHARS,
  formatToolOutput,
  TRUNCATION_MARKER,
  type TruncatedOutput,
  type TruncateOptions,
  truncateToolOutput,
} from './tools/tool-output-truncator.ts';
