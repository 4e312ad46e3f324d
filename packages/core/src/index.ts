export type * from './ports/index.ts';
export type { SessionHistory, Tool, ToolContext, ToolInput, ToolResult } from './tools/tool.ts';
