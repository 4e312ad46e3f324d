import { type FileChange, isObject, type JsonValue, type ToolPart } from '@longhaul/protocol';
import { argumentText } from './argument-text.ts';
import type { ChangedFile } from './changed-file.ts';
import { filesOfDiff, filesOfPatch } from './patch-text.ts';
import { shellChanges } from './shell-changes.ts';
import type { ShellCommand } from './shell-commands.ts';
import type { FileAction, ToolFacts } from './tool-facts.ts';

export const CHANGED_BY: Readonly<Record<FileChange['change'], FileAction & ChangedFile['action']>> = {
  added: 'created',
  renamed: 'created',
  modified: 'modified',
  deleted: 'deleted',
};

/**
 * Returns the files that a call changed beside its own path argument: from the metadata of its result, or else from the
 * patch, the script or the command in its arguments, and from what a generator reported.
 */
export function changedFiles(
  part: ToolPart,
  { command, commands = [], failed, text }: ToolFacts,
): ChangedFile[] {
  const stated = part.state === 'completed' ? statedFiles(part) : [];
  if (stated.length > 0) return stated;
  const input = argumentText(part.input);
  if (input.includes('*** Begin Patch')) return failed ? [] : filesOfPatch(input);
  if (command === undefined) return !failed && /patch|diff/i.test(part.name) ? filesOfDiff(input) : [];
  // A line that failed ran at least what precedes its last command.
  const ofShell = shellChanges(commands, { leaveOutLast: failed });
  if (failed) return ofShell;
  const ofDiff = appliesDiff(commands) ? filesOfDiff(command) : [];
  return [...ofShell, ...ofDiff, ...filesOfScript(command), ...generatedFiles(text)];
}

function appliesDiff(commands: readonly ShellCommand[]): boolean {
  return commands.some(({ words }) => {
    const applies = words[0] === 'patch' || (words[0] === 'git' && words.includes('apply'));
    return applies && !words.some((word) => /^--(?:check|dry-run|stat)$/.test(word));
  });
}

/** The files of a patch, from the metadata of its result. */
function statedFiles({ metadata }: ToolPart): ChangedFile[] {
  const files = metadata?.['files'];
  if (!Array.isArray(files)) return [];
  return files.flatMap((file) => {
    const path = textAt(file, 'path');
    const change = textAt(file, 'change');
    return path === undefined || !isChange(change) ? [] : [{ path, action: CHANGED_BY[change] }];
  });
}

function textAt(value: JsonValue, key: string): string | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function isChange(change: string | undefined): change is FileChange['change'] {
  return change !== undefined && Object.hasOwn(CHANGED_BY, change);
}

const MAX_CHARS = 100_000;
/** Programs in Python and JavaScript that a command contains. */
const WRITES_OF_SCRIPT = [
  /\bopen\(\s*(['"])([^'"\n]{1,300})\1\s*,\s*['"][wax]/g,
  /\bPath\(\s*(['"])([^'"\n]{1,300})\1\s*\)\.write_(?:text|bytes)\(/g,
  /\bwriteFile(?:Sync)?\(\s*(['"`])([^'"`$\n]{1,300})\1/g,
];

function filesOfScript(command: string): ChangedFile[] {
  if (!/\b(?:python|node|bun|deno|tsx)/.test(command)) return [];
  const text = command.slice(0, MAX_CHARS);
  return WRITES_OF_SCRIPT.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, , path = '']) => ({ path, action: 'written' as const })),
  ).filter(({ path }) => !path.startsWith('/tmp/'));
}

const MAX_GENERATED = 50;
const GENERATED =
  /^[^\w\n]{0,4}(?:wrote|writing|created|generated|updated):? (?:to |file )?([\w@./-]{1,200}\.[A-Za-z]\w{0,7})\.?$/gim;

/** The files that a generator says it wrote, such as `Wrote src/api.ts`. */
function generatedFiles(text: string): ChangedFile[] {
  return [...text.slice(0, MAX_CHARS).matchAll(GENERATED)]
    .slice(0, MAX_GENERATED)
    .map(([, path = '']) => ({ path, action: 'written' }));
}
