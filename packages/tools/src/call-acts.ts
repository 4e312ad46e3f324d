import { isObject, type JsonValue } from '@longhaul/protocol';

import { parsePatch } from './patch/parse-patch.ts';
import { inFolders, readPatchCommands } from './patch/patch-command.ts';

/** What a call does to one file. */
export interface FileAct {
  path: string;
  kind: 'add' | 'update' | 'delete';
}

/** Returns the commands of a call that a shell runs after the patches in it. */
export function commandsAfterPatches(command: string): string {
  const { patches, rest } = readPatchCommands(command, undefined);
  return patches.length === 0 ? '' : rest;
}

/**
 * Returns what a call of `apply_patch`, or a command that contains one, does to each file. Approval rules judge it by
 * these acts. The input is the parsed one, so this reads the same patch as the tool that runs.
 */
export function fileActsOf(toolName: string, input: JsonValue): FileAct[] {
  if (!isObject(input)) return [];
  const workdir = textOf(input['workdir']);
  if (toolName === 'apply_patch') return actsIn(textOf(input['patch']) ?? '', workdir);
  if (toolName !== 'bash') return [];
  const { patches } = readPatchCommands(textOf(input['command']) ?? '', workdir);
  return patches.flatMap(({ patch, folder }) => actsIn(patch, folder));
}

/** What a call of `process` does to a command in the background. */
export interface ProcessAct {
  handle: string;
  /** What the command gets as input. Absent: the call ends it. */
  typed?: string;
}

/** Returns what a call does to a command in the background. Undefined for a call that does nothing to one. */
export function processActOf(toolName: string, input: JsonValue): ProcessAct | undefined {
  if (toolName !== 'process' || !isObject(input)) return undefined;
  const handle = textOf(input['handle']) ?? '';
  if (input['action'] === 'write') return { handle, typed: textOf(input['input']) ?? '' };
  return input['action'] === 'kill' ? { handle } : undefined;
}

function actsIn(patch: string, folder: string | undefined): FileAct[] {
  const changes = parsePatch(patch);
  if (typeof changes === 'string') return [];
  return changes.flatMap((change): FileAct[] => {
    const path = inFolders(change.path, folder);
    if (change.kind === 'add') return [{ path, kind: 'add' }];
    if (change.kind === 'delete') return [{ path, kind: 'delete' }];
    if (change.moveTo === undefined) return [{ path, kind: 'update' }];
    return [
      { path, kind: 'update' },
      { path, kind: 'delete' },
      { path: inFolders(change.moveTo, folder), kind: 'add' },
    ];
  });
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
