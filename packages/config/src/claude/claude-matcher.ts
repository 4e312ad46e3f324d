/** Characters of tool names, and `*`. */
const SIMPLE = /^[\w*-]+$/;

/**
 * Returns the names of tools that a matcher of Claude Code matches, as in the setting `tools` of a hook. A matcher is a
 * regular expression: names, `|` and `.*` are understood. Undefined for any other.
 */
export function toolPatterns(matcher: string): string | undefined {
  const patterns = matcher.split('|').map((name) => toolPattern(name.trim().replaceAll('.*', '*')));
  return patterns.includes(undefined) ? undefined : patterns.join('|');
}

/** `mcp__SERVER__tool` is `SERVER_tool` in Longhaul. */
function toolPattern(name: string): string | undefined {
  if (!SIMPLE.test(name)) return undefined;
  if (!name.startsWith('mcp__')) return name;
  const [server = '', ...tool] = name.slice('mcp__'.length).split('__');
  if (server === '' || server.includes('*')) return undefined;
  return `${server}_${tool.length === 0 ? '*' : tool.join('__')}`;
}
