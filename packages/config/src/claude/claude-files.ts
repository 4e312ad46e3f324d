import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isInside, realPathOf } from '@longhaul/core/host-paths';
import { parseJson } from '@longhaul/protocol';
import { readInside } from '../read-inside.ts';
import { readRegularFile } from '../read-regular-file.ts';
import { type ClaudeFile, claudeHooks, type ReadHooks } from './claude-hooks.ts';

/** Every command reads them, before anybody trusts a project. */
const MAX_BYTES = 64_000;

const PROJECT_FILES = [
  { path: '.claude/settings.json', prefix: 'claude' },
  { path: '.claude/settings.local.json', prefix: 'claude-local' },
] as const;

/** The hooks of Claude Code's settings files. */
export interface ClaudeSettings extends ReadHooks {
  /** The folder that contains `.claude`. */
  folder: string;
  /** Absolute paths of the files that were read. */
  paths: string[];
}

/**
 * Reads the settings files of Claude Code in the first of these folders that has one. The user's own file is not one of
 * a project, unless the workspace is the home folder: then the agent can write it.
 */
export async function projectSettings(
  folders: readonly string[],
  { home, cwd }: { home: string; cwd: string },
): Promise<ClaudeSettings | undefined> {
  for (const folder of folders) {
    if (resolve(folder) === resolve(home) && resolve(cwd) !== resolve(home)) continue;
    const read = await Promise.all(
      PROJECT_FILES.map(({ path, prefix }) =>
        readSettings(join(folder, path), { name: path, prefix, onHost: false, root: folder }),
      ),
    );
    const found = read.filter((each) => each !== undefined);
    if (found.length > 0) return settingsOf(folder, found);
  }
  return undefined;
}

/** Reads the user's own settings file. Its commands run as Claude Code runs them: on this machine. */
export async function userSettings({
  home,
  cwd,
}: {
  home: string;
  cwd: string;
}): Promise<ClaudeSettings | undefined> {
  const path = join(home, '.claude', 'settings.json');
  if (isInside(realPathOf(path), realPathOf(cwd))) return undefined;
  const read = await readSettings(path, {
    name: '~/.claude/settings.json',
    prefix: 'claude-user',
    onHost: true,
  });
  return read && settingsOf(home, [read]);
}

interface ReadFile extends ReadHooks {
  path: string;
}

/** @param file `root`: a file outside of it is refused, also one behind a link. Default: links are followed. */
async function readSettings(
  path: string,
  { root, ...file }: ClaudeFile & { root?: string },
): Promise<ReadFile | undefined> {
  const left = (problem: string): ReadFile => ({
    path,
    hooks: {},
    warnings: [`${file.name} ${problem}, so its hooks do not run.`],
  });
  try {
    const read =
      root === undefined
        ? await readRegularFile(path, MAX_BYTES)
        : await readInside(path, await realpath(root), MAX_BYTES);
    if ('problem' in read) return left(read.problem);
    const value = parseJson(new TextDecoder().decode(read.bytes));
    return value === undefined ? left('is not JSON') : { path, ...claudeHooks(value, file) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : left(`cannot be read (${code})`);
  }
}

/** Files without hooks are like none. */
function settingsOf(folder: string, files: readonly ReadFile[]): ClaudeSettings | undefined {
  const warnings = files.flatMap((file) => file.warnings);
  const hooks = Object.fromEntries(files.flatMap((file) => Object.entries(file.hooks)));
  if (warnings.length === 0 && Object.keys(hooks).length === 0) return undefined;
  return {
    folder,
    paths: files.map(({ path }) => path),
    hooks,
    warnings: warnings.slice(0, MAX_WARNINGS),
  };
}

const MAX_WARNINGS = 20;
