/** Namespaces in which models call tools, and text of chat templates that ends up in a name. */
const BEFORE = /^(?:functions?|tools?|default_api|default_functions)[.:/]/;
const AFTER = /(?:<\|.*|:\d+|\(\))$/s;

/** Returns the tool's name for another name of it. */
export type ToolNamed = (name: string) => string | undefined;

/**
 * Returns the tool that a name means: `functions.read`, `read:0` and `read<|channel|>commentary` mean `read`. Undefined
 * if there is no such tool.
 */
export function meantTool<Tool>(
  name: string,
  tools: ReadonlyMap<string, Tool>,
  toolNamed: ToolNamed = () => undefined,
): string | undefined {
  if (tools.has(name)) return name;
  const cleaned = name.trim().replace(AFTER, '').replace(BEFORE, '').trim();
  return tools.has(cleaned) ? cleaned : (toolNamed(name) ?? toolNamed(cleaned));
}
