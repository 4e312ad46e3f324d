import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import { absolute } from './tool-facts.ts';

export interface FileCall {
  toolName: string;
  args: JsonValue;
  metadata?: JsonObject | undefined;
}

type Diff = ToolCallContent & { type: 'diff' };

/** The part of a file that changed, with the unchanged lines around it. */
interface Change {
  path: string;
  before: string[];
  after: string[];
  isNew?: boolean;
}

/**
 * Returns what a call changed, one diff for each place. The protocol's diff has two texts: the place before and after
 * the change. Empty for other calls, and if the change was not recorded.
 */
export function diffsOf(folder: string, call: FileCall): Diff[] {
  return changesOf(call).map(({ path, before, after, isNew = false }) => ({
    type: 'diff',
    path: absolute(folder, path),
    oldText: isNew ? null : before.join('\n'),
    newText: after.join('\n'),
  }));
}

function changesOf({ toolName, args, metadata = {} }: FileCall): Change[] {
  if (!isObject(args)) return [];
  if (toolName === 'apply_patch') return typeof args['patch'] === 'string' ? patchChanges(args['patch']) : [];
  const path = metadata['path'] ?? args['path'];
  if (typeof path !== 'string') return [];
  if (typeof metadata['patch'] === 'string') return hunkChanges(path, metadata['patch']);
  if (toolName === 'write' && metadata['created'] !== false && typeof args['content'] === 'string')
    return [{ path, before: [], after: args['content'].split('\n'), isNew: true }];
  return [];
}

/** Reads the hunks of a unified diff of one file. */
function hunkChanges(path: string, patch: string): Change[] {
  const changes: Change[] = [];
  for (const line of patch.split('\n')) {
    if (line.startsWith('@@')) changes.push({ path, before: [], after: [] });
    else addLine(changes.at(-1), line);
  }
  return changes;
}

const SECTION = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;

/** Reads the sections of a patch of `apply_patch`. A deleted file has no text in it, so it has no diff. */
function patchChanges(patch: string): Change[] {
  const changes: Change[] = [];
  let section: { path: string; isNew: boolean } | undefined;
  for (const line of patch.split('\n')) {
    const [, kind, path = ''] = SECTION.exec(line) ?? [];
    if (kind !== undefined) {
      section = kind === 'Delete' ? undefined : { path, isNew: kind === 'Add' };
      if (section !== undefined) changes.push({ ...section, before: [], after: [] });
    } else if (section !== undefined) {
      const moved = MOVE.exec(line)?.[1];
      const last = changes.at(-1);
      if (moved !== undefined && last !== undefined) section.path = last.path = moved;
      else if (line.startsWith('@@')) changes.push({ ...section, before: [], after: [] });
      else addLine(last, line);
    }
  }
  return changes.filter(({ before, after }) => before.length + after.length > 0);
}

function addLine(change: Change | undefined, line: string): void {
  if (line.startsWith('-') || line.startsWith(' ')) change?.before.push(line.slice(1));
  if (line.startsWith('+') || line.startsWith(' ')) change?.after.push(line.slice(1));
}
