import { access, constants, realpath, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { type ConfigInput, type LoadedConfig, loadConfig } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import type { Terminal } from '../terminal.ts';

export interface Place {
  cwd?: string;
  config?: string;
}

export interface Settings extends LoadedConfig {
  /** Absolute, without symbolic links; exists. */
  workspace: string;
  /** The user's home folder. */
  home: string;
  /** Loads the configuration with the settings of compaction that were changed over the API. */
  withCompression(change: object): Promise<LoadedConfig>;
}

/** Loads the configuration of the folder that `--cwd` names. */
export async function loadSettings(
  { cwd, config: configFile }: Place,
  terminal: Terminal,
  flags: ConfigInput = {},
): Promise<Settings> {
  const workspace = await existingFolder(resolve(terminal.cwd, cwd ?? '.'));
  const file = configFile === undefined ? undefined : resolve(terminal.cwd, configFile);
  const home = homeOf(terminal);
  const place = { cwd: workspace, env: terminal.env, home, file, flags };
  return {
    ...(await loadConfig(place)),
    workspace,
    home,
    withCompression: (change) => loadConfig({ ...place, settings: { context: { compression: change } } }),
  };
}

/**
 * @throws {LonghaulError} `usage` if neither the environment nor the system's list of users has one, as in some
 * containers.
 */
function homeOf({ env: { HOME: home } }: Terminal): string {
  if (home !== undefined && isAbsolute(home)) return home;
  try {
    return userInfo().homedir;
  } catch (error) {
    throw new LonghaulError(
      'usage',
      'Your home folder is not known: HOME is not set, and this user is not in /etc/passwd. Set it, for example with: export HOME=/tmp/home',
      { cause: error },
    );
  }
}

async function existingFolder(path: string): Promise<string> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new LonghaulError(
      'usage',
      error.code === 'ENOENT'
        ? `The workspace ${path} does not exist. Make it first, or name another folder with --cwd.`
        : `The workspace ${path} cannot be opened (${error.code}).`,
    );
  });
  if (info.isDirectory()) {
    await access(path, constants.R_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
      throw new LonghaulError(
        'usage',
        `The workspace ${path} cannot be read (${error.code}). Allow this user to, or name another folder with --cwd.`,
      );
    });
    return await realpath(path);
  }
  throw new LonghaulError('usage', `The workspace ${path} is a file. Name a folder with --cwd.`);
}
