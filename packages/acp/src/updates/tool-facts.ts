import { posix } from 'node:path';
import type { ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';

const KINDS: Readonly<Record<string, ToolKind>> = {
  bash: 'execute',
  read: 'read',
  list: 'read',
  write: 'edit',
  edit: 'edit',
  apply_patch: 'edit',
  glob: 'search',
  grep: 'search',
  recall: 'search',
  todo: 'think',
};

const MAX_TITLE_CHARS = 200;

export function kindOf(toolName: string): ToolKind {
  return (Object.hasOwn(KINDS, toolName) ? KINDS[toolName] : undefined) ?? 'other';
}

/** Returns one line for a call: what it is about, and the tool where that alone is not clear. */
export function titleOf(toolName: string, args: JsonValue): string {
  const { command, path, pattern, patch } = isObject(args) ? args : {};
  if (toolName === 'bash' && typeof command === 'string') return oneLine(command);
  if (toolName === 'apply_patch' && typeof patch === 'string')
    return oneLine(`apply_patch ${patchPaths(patch).join(', ')}`);
  const subject = [pattern, path].filter((text) => typeof text === 'string').join(' in ');
  return oneLine(`${toolName} ${subject}`);
}

/** Returns the files that a call is about, with the line where its reading starts. */
export function locationsOf(
  folder: string,
  { args, metadata = {} }: { args: JsonValue; metadata?: JsonObject | undefined },
): ToolCallLocation[] {
  const { path: given, patch, offset } = isObject(args) ? args : {};
  const path = metadata['path'] ?? given;
  if (typeof path === 'string' && path !== '') {
    const line = metadata['firstLine'] ?? offset;
    const isLine = typeof line === 'number' && Number.isInteger(line) && line > 0;
    return [{ path: absolute(folder, path), ...(isLine && { line }) }];
  }
  if (typeof patch !== 'string') return [];
  return patchPaths(patch).map((each) => ({ path: absolute(folder, each) }));
}

/** Returns the path on this machine of what a tool names: in a container, the workspace is `/workspace`. */
export function absolute(folder: string, path: string): string {
  const inside =
    /^\/workspace(?:\/|$)/.test(path) && !folder.startsWith('/workspace') ? path.slice(11) : path;
  return posix.resolve(folder, inside === '' ? '.' : inside);
}

function patchPaths(patch: string): string[] {
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].flatMap(([, path]) => path ?? []);
}

function oneLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  const rest = text.trim().length > line.length;
  const short = line.length <= MAX_TITLE_CHARS ? line : line.slice(0, MAX_TITLE_CHARS - 1);
  return short.length < line.length || rest ? `${short}…` : short;
}
