import { foldName, matchesPattern } from '@longhaul/protocol';
import type { ToolSchema } from './model-driver.ts';
import type { Tool } from './tool.ts';

/** Returns the tool that a model means by a name, or undefined. */
export type FindTool = (name: string) => Tool | undefined;

/**
 * Creates a search for tools by the names that models use: the name, then the name without regard to case and to
 * `_`, `-` and `.`, then the other names in `aliases`.
 */
export function createToolFinder(tools: readonly Tool[]): FindTool {
  const exact = new Map(tools.map((tool) => [tool.name, tool]));
  const folded = new Map<string, Tool>();
  const add = (name: string, tool: Tool) => {
    if (!folded.has(foldName(name))) folded.set(foldName(name), tool);
  };
  for (const tool of tools) add(tool.name, tool);
  for (const tool of tools) for (const alias of tool.aliases ?? []) add(alias, tool);
  return (name) => exact.get(name) ?? folded.get(foldName(name));
}

/**
 * Returns the tools that match one of the patterns; `*` matches any text. A tool that replaces others also matches if
 * all of those do.
 */
export function matchTools(patterns: readonly string[], tools: readonly Tool[]): readonly Tool[] {
  const isNamed = (name: string) => patterns.some((pattern) => matchesPattern(pattern, name));
  return tools.filter(({ name, standsIn }) => isNamed(name) || standsIn?.tools.every(isNamed) === true);
}

/** Returns the tools that a model sees. It can call the others too. */
export function shownTools(tools: readonly Tool[], model: string): Tool[] {
  const names = new Set(tools.map((tool) => tool.name));
  const hidden = new Set<string>();
  for (const { name, standsIn } of tools) {
    if (standsIn === undefined) continue;
    if (standsIn.models(model)) for (const each of standsIn.tools) hidden.add(each);
    else if (standsIn.tools.some((each) => names.has(each))) hidden.add(name);
  }
  return tools.filter(({ name, isDeferred }) => isDeferred !== true && !hidden.has(name));
}

/** Returns the schemas of the tools that a model sees. */
export function shownSchemas(tools: readonly Tool[], model: string): ToolSchema[] {
  return shownTools(tools, model).map((tool) => tool.schema);
}
