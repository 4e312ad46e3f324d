import { isObject, isTextList, LonghaulError } from '@longhaul/protocol';

/**
 * Returns the patterns of the tools that a prompt allows: `_meta: {longhaul: {tools: ["read", "grep*"]}}`. Undefined if
 * it allows all.
 *
 * @throws {LonghaulError} `invalid_request`
 */
export function allowedTools(meta: Record<string, unknown> | null | undefined): string[] | undefined {
  const own = meta?.['longhaul'];
  const tools = isObject(own) ? own['tools'] : undefined;
  if (tools === undefined || isTextList(tools)) return tools;
  throw new LonghaulError(
    'invalid_request',
    '_meta.longhaul.tools must be a list of names of tools, such as ["read", "grep*"].',
  );
}
