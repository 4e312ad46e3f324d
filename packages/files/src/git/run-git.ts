import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findHostProgram } from '@longhaul/core/host-programs';
import { LonghaulError } from '@longhaul/protocol';

const run = promisify(execFile);

/** No program that a repository names is run, no submodule is fetched, and nothing is asked of a person. */
const HARMLESS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'filter.lfs.smudge=',
  'filter.lfs.process=',
  'filter.lfs.required=false',
  // A server could lead to another one, which nobody has allowed.
  'http.followRedirects=false',
];
const OPTIONS = HARMLESS.flatMap((setting) => ['-c', setting]);
const MAX_OUTPUT_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10 * 60_000;
const MAX_REASON_CHARS = 500;

export interface GitOptions {
  folder: string;
  /** Protocols that git may use, separated by colons. Empty: none. */
  protocols?: string;
  /** Settings that must not be in the list of processes, such as those with a token. */
  settings?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/**
 * Runs git on this machine, without settings that its environment gives it for other repositories.
 *
 * @throws {LonghaulError} `invalid_request` with what git reports; `cancelled` if the signal is aborted.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<string> {
  const { folder, signal } = options;
  const program = findHostProgram('git');
  if (program === undefined)
    throw new LonghaulError(
      'invalid_request',
      'The session needs git, which is not installed on this machine.',
    );
  try {
    const { stdout } = await run(program, ['-C', folder, ...OPTIONS, ...args], {
      env: environmentOf(options),
      maxBuffer: MAX_OUTPUT_BYTES,
      timeout: TIMEOUT_MS,
      signal,
    });
    return stdout.trim();
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw new LonghaulError('invalid_request', reasonOf(error));
  }
}

function environmentOf({ protocols = '', settings = {} }: GitOptions): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const entries = Object.entries(settings);
  return {
    ...Object.fromEntries(kept),
    GIT_ALLOW_PROTOCOL: protocols,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_CONFIG_COUNT: String(entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** What git has reported, without the credentials of an address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('killed' in error && error.killed === true)
    return `git took longer than ${TIMEOUT_MS / 60_000} minutes`;
  const text = 'stderr' in error ? String(error.stderr).trim() : error.message;
  const lines = text.split('\n').filter((line) => !/^(?:remote: Enumerating|From |hint: )/.test(line));
  return lines
    .join(' ')
    .replaceAll(/\/\/[^@/\s]+@/g, '//…@')
    .slice(0, MAX_REASON_CHARS);
}
