import type { FileChange, JsonValue, ToolPart } from '@longhaul/protocol';
import { textOfOutput } from '../view.ts';

export type FileAction = 'read' | 'listed' | 'searched' | 'created' | 'modified' | 'deleted';

/** The facts in a tool call, for any tool: read from its name, its arguments and its result. */
export interface ToolFacts {
  path?: string;
  action?: FileAction;
  command?: string;
  exitCode?: number;
  /** How the command ended if it did not exit by itself: `timeout`, `aborted` or `failed`. */
  ended?: string;
  failed: boolean;
  /** Text of the result or of the error. */
  text: string;
}

const PATH_KEYS = ['path', 'file_path', 'filePath', 'file', 'filename', 'target_file'] as const;
const COMMAND_KEYS = ['command', 'cmd'] as const;

export function toolFacts(part: ToolPart): ToolFacts {
  const text = part.output === undefined ? (part.error ?? '') : textOfOutput(part.output);
  const path = stringAt(part.input, PATH_KEYS);
  const command = stringAt(part.input, COMMAND_KEYS);
  const failed = part.state !== 'completed';
  const exitCode = command === undefined ? undefined : exitCodeOf(part, text);
  const ended = part.metadata?.['ended'];
  const action = path === undefined || failed ? undefined : actionOf(part, text);
  return {
    failed: hasFailed(failed, command, exitCode),
    text,
    path,
    action,
    command,
    exitCode,
    ended: typeof ended === 'string' && ended !== 'exit' ? ended : undefined,
  };
}

function hasFailed(failed: boolean, command: string | undefined, exitCode: number | undefined): boolean {
  if (exitCode === 1 && command !== undefined && SEARCH.test(command)) return false;
  return failed || (exitCode !== undefined && exitCode !== 0);
}

/** A command that ends with a search. It exits with 1 if it finds nothing. */
const SEARCH = /(?:^|[|;&]\s*)(?:git grep|[ef]?grep|rg|diff|cmp)\s[^|;&]*$/;

export const CHANGED_BY: Readonly<Record<FileChange['change'], FileAction>> = {
  added: 'created',
  renamed: 'created',
  modified: 'modified',
  deleted: 'deleted',
};

/** The files that a patch changed, from the metadata of its result. */
export function patchedFiles({ state, metadata }: ToolPart): { path: string; action: FileAction }[] {
  const files = metadata?.['files'];
  if (state !== 'completed' || !Array.isArray(files)) return [];
  return files.flatMap((file) => {
    const path = stringAt(file, ['path']);
    const change = stringAt(file, ['change']);
    return path === undefined || !isChange(change) ? [] : [{ path, action: CHANGED_BY[change] }];
  });
}

function stringAt(input: JsonValue, keys: readonly string[]): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  for (const key of keys) {
    const value = input[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function isChange(change: string | undefined): change is FileChange['change'] {
  return change !== undefined && Object.hasOwn(CHANGED_BY, change);
}

function actionOf(part: ToolPart, text: string): FileAction | undefined {
  const name = part.name.toLowerCase();
  if (/edit|patch|replace|insert/.test(name)) return 'modified';
  if (/write|create|save/.test(name)) return isOverwrite(part, text) ? 'modified' : 'created';
  if (/delete|remove/.test(name)) return 'deleted';
  if (/list|ls|tree/.test(name)) return 'listed';
  if (/grep|glob|search|find/.test(name)) return 'searched';
  if (/read|view|cat|open/.test(name)) return 'read';
  return undefined;
}

function isOverwrite(part: ToolPart, text: string): boolean {
  const created = part.metadata?.['created'];
  if (typeof created === 'boolean') return !created;
  return /overwr|updated|replaced/i.test(text.slice(0, 400));
}

function exitCodeOf(part: ToolPart, text: string): number | undefined {
  const recorded = part.metadata?.['exitCode'];
  if (typeof recorded === 'number') return recorded;
  if (part.metadata?.['ended'] !== undefined) return undefined;
  // The command's own exit code comes last. Its output may mention others.
  const stated = [...text.slice(-2_000).matchAll(/exit(?:ed with)?[ _]?(?:code|status)[:= ]+(-?\d+)/gi)].at(
    -1,
  );
  return stated === undefined ? undefined : Number(stated[1]);
}
