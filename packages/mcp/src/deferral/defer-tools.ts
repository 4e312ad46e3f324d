import type { ConnectedTools, Tool, ToolConnection } from '@longhaul/core';
import type { ServerTool } from '../tools/server-tool.ts';
import { createFindTools, FIND_TOOLS } from './find-tools.ts';
import { toolList } from './tool-list.ts';
import { createUseTool, USE_TOOL } from './use-tool.ts';

/** Names of the tools by which a model reaches deferred tools. No tool of a server gets one of them. */
export const DEFERRAL_TOOLS: readonly string[] = [FIND_TOOLS, USE_TOOL];

/** What deferral may take of every request: this many tokens, or this share of a large window. */
const TOKENS = 550;
const SHARE = 0.02;

export interface DeferOptions extends Pick<ToolConnection, 'usableTokens' | 'countTokens'> {
  /** Share of the usable tokens that the schemas of all servers may take. */
  deferOver: number;
  maxOutputChars: number;
}

/**
 * Shows the tools of servers to the model, or defers them if their schemas would take too much of every request.
 * Deferred tools are named in the system text. The model finds and calls them with two tools whose schemas never
 * change.
 */
export function showOrDefer(
  tools: readonly ServerTool[],
  { deferOver, usableTokens, countTokens, maxOutputChars }: DeferOptions,
): Pick<ConnectedTools, 'tools' | 'systemText'> {
  const shownTokens = countTokens(JSON.stringify(tools.map(({ schema }) => schema)));
  if (tools.length === 0 || shownTokens <= deferOver * usableTokens) return { tools };
  const reaching: Tool[] = [createFindTools(tools, maxOutputChars), createUseTool(tools, maxOutputChars)];
  const schemaTokens = countTokens(JSON.stringify(reaching.map(({ schema }) => schema)));
  const maxTokens = Math.max(TOKENS, SHARE * usableTokens) - schemaTokens;
  const deferred = tools.map((tool): Tool => ({ ...tool, isDeferred: true }));
  return { tools: [...reaching, ...deferred], systemText: toolList(tools, { maxTokens, countTokens }) };
}
