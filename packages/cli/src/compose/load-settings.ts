import { access, constants, realpath, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { type ConfigInput, type LoadedConfig, loadConfig } from '@longhaul/config';
import { addAgentFolder } from '@longhaul/core/host-programs';
import { LonghaulError } from '@longhaul/protocol';
import { chooseBackground } from '../render/theme.ts';
import type { Terminal } from '../terminal.ts';
import type { TrustAnswer } from '../trust/trust-events.ts';

export interface Place {
  cwd?: string;
  config?: string;
  /** `--trust`: the project's file is trusted for this command. */
  trust?: boolean;
}

export interface Settings extends LoadedConfig {
  /** Absolute, without symbolic links; exists. */
  workspace: string;
  /** The user's home folder. */
  home: string;
  /** The answer of the person who was asked whether to trust the project's file. */
  trustAnswer?: TrustAnswer | undefined;
  /**
   * Loads the configuration again, with the settings of compaction that were changed over the API, and with the trust
   * that is stored now.
   */
  withCompression(change: object): Promise<LoadedConfig>;
}

export interface LoadSettingsOptions {
  /** Asks at the terminal whether to trust the project's file. Default: ignores what is not trusted, with a notice. */
  asks?: boolean;
  /** Leaves the terminal to the question, for a caller that draws on it. */
  lend?: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Loads the configuration of the folder that `--cwd` names. What an untrusted project's file may not set is ignored,
 * and reported on standard error.
 */
export async function loadSettings(
  { cwd, config: configFile, trust }: Place,
  terminal: Terminal,
  flags: ConfigInput = {},
  { asks = false, lend = (work) => work() }: LoadSettingsOptions = {},
): Promise<Settings> {
  const workspace = await existingFolder(resolve(terminal.cwd, cwd ?? '.'));
  addAgentFolder(workspace);
  const file = configFile === undefined ? undefined : resolve(terminal.cwd, configFile);
  const home = homeOf(terminal);
  const place = { cwd: workspace, env: terminal.env, home, file, flags: withSwitches(flags, terminal.env) };
  const first = await loadConfig({ ...place, trust: trust === true ? 'all' : 'stored' });
  const { loaded, answer } = await settled(first, {
    terminal,
    asks,
    lend,
    load: (ids) => loadConfig({ ...place, trust: ids }),
  });
  chooseBackground(loaded.config.terminal.theme);
  // `--trust`, and a yes at the terminal, are for the content that was there then.
  const granted = trust === true || answer === 'trusted' ? trustedIds(loaded) : 'stored';
  return {
    ...loaded,
    trustAnswer: answer,
    workspace,
    home,
    withCompression: (change) =>
      loadConfig({ ...place, trust: granted, settings: { context: { compression: change } } }),
  };
}

/** Adds what a variable of the environment switches: `LONGHAUL_AUTO_COMPACT=0` turns automatic compaction off. */
function withSwitches(flags: ConfigInput, env: Terminal['env']): ConfigInput {
  if (env['LONGHAUL_AUTO_COMPACT'] !== '0') return flags;
  const { context } = flags;
  return { ...flags, context: { ...context, compression: { ...context?.compression, auto: false } } };
}

/** Asks about what is not trusted, or reports that it is ignored. Loads nothing if there is nothing to decide. */
async function settled(
  loaded: LoadedConfig,
  {
    load,
    lend,
    ...options
  }: {
    terminal: Terminal;
    asks: boolean;
    lend: <T>(work: () => Promise<T>) => Promise<T>;
    load: (ids: ReadonlySet<string>) => Promise<LoadedConfig>;
  },
): Promise<{ loaded: LoadedConfig; answer?: TrustAnswer | undefined }> {
  const { project } = loaded;
  if (project === undefined || project.wants.every(({ isTrusted }) => isTrusted)) return { loaded };
  const { settleTrust } = await import('../trust/settle-trust.ts');
  return lend(() => settleTrust(loaded, { ...options, project, home: homeOf(options.terminal), load }));
}

function trustedIds({ project }: LoadedConfig): ReadonlySet<string> {
  return new Set(project?.wants.flatMap(({ id, isTrusted }) => (isTrusted ? [id] : [])));
}

/**
 * @throws {LonghaulError} `usage` if neither the environment nor the system's list of users has one, as in some
 * containers.
 */
export function homeOf({ env: { HOME: home } }: Pick<Terminal, 'env'>): string {
  if (home !== undefined && isAbsolute(home)) return home;
  const { listed, cause } = listedHome();
  // Bun returns HOME again.
  if (listed !== undefined && isAbsolute(listed)) return listed;
  throw new LonghaulError(
    'usage',
    'Your home folder is not known: HOME is not an absolute path, and this user is not in /etc/passwd. Set it, for example with: export HOME=/tmp/home',
    { cause },
  );
}

function listedHome(): { listed?: string; cause?: unknown } {
  try {
    return { listed: userInfo().homedir };
  } catch (cause) {
    return { cause };
  }
}

export async function existingFolder(path: string): Promise<string> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new LonghaulError(
      'usage',
      error.code === 'ENOENT'
        ? `The workspace ${path} does not exist. Create it, or use another folder (on the command line: --cwd DIR).`
        : `The workspace ${path} cannot be opened (${error.code}).`,
    );
  });
  if (info.isDirectory()) {
    await access(path, constants.R_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
      throw new LonghaulError(
        'usage',
        `The workspace ${path} cannot be read (${error.code}). Allow this user to, or use another folder (on the command line: --cwd DIR).`,
      );
    });
    return await realpath(path);
  }
  throw new LonghaulError(
    'usage',
    `The workspace ${path} is a file. Use a folder (on the command line: --cwd DIR).`,
  );
}
