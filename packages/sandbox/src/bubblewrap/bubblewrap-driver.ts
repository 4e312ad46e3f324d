import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { release } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Sandbox, SandboxDriver, SandboxOptions, SandboxProbe } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { killOrphans } from '../command/command-mark.ts';
import { commandEnvironment } from '../command-environment.ts';
import { createSandbox } from '../create-sandbox.ts';
import { createWorkspaceFiles } from '../files/workspace-files.ts';
import { openWorkspace } from '../open-workspace.ts';
import { makeTempFolder, removeFolder, removeOrphanedTempFolders } from '../temp-folder.ts';
import { startBubblewrap } from './bubblewrap-command.ts';
import { type BwrapLayout, bwrapArguments, bwrapPath, HOME_PATH, WORKSPACE_PATH } from './bwrap-arguments.ts';
import { type Cgroup, makeCgroup } from './cgroup.ts';

/**
 * Isolates commands in Linux namespaces through `bwrap`. The workspace is writable, the system's programs are
 * read-only, and nothing else of the host is visible.
 */
export function createBubblewrapDriver(): SandboxDriver {
  let known: Promise<SandboxProbe> | undefined;
  const probe = async () => {
    known ??= probeBubblewrap();
    const result = await known;
    // A missing program may be installed before the next probe.
    if (!result.available) known = undefined;
    return result;
  };
  return {
    kind: 'bubblewrap',
    probe,
    async open(options) {
      const root = await openWorkspace(options);
      const result = await probe();
      if (result.available) return openBubblewrap(root, options);
      throw new LonghaulError(
        'sandbox_unavailable',
        `bubblewrap cannot be used. ${result.reason} ${result.remedy}`,
      );
    },
  };
}

async function openBubblewrap(root: string, options: SandboxOptions): Promise<Sandbox> {
  // Throws for a bad environment before anything is created.
  commandEnvironment({}, options.env);
  await killOrphans();
  await removeOrphanedTempFolders();
  const cgroup = await makeCgroup(options);
  const folder = await makeTempFolder();
  const layout: BwrapLayout = {
    workspace: root,
    tmp: join(folder, 'tmp'),
    home: join(folder, 'home'),
    programFolders: options.programFolders,
    network: options.network,
  };
  await mkdir(layout.tmp);
  await mkdir(layout.home);
  const environment = commandEnvironment({ HOME: HOME_PATH, PATH: bwrapPath(layout) }, options.env);
  const setEnvironment = Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]);
  return createSandbox({
    kind: 'bubblewrap',
    workspacePath: WORKSPACE_PATH,
    description: `bubblewrap, network ${options.network}`,
    files: createWorkspaceFiles(root, WORKSPACE_PATH),
    start: (command, { cwd, stdin }) =>
      startBubblewrap({
        bwrap: findBwrap() ?? 'bwrap',
        arguments: [
          ...bwrapArguments(layout),
          '--clearenv',
          ...setEnvironment,
          '--chdir',
          join(WORKSPACE_PATH, cwd),
        ],
        procsFiles: cgroup?.procsFiles ?? [],
        limitScript: limitScript(options, cgroup),
        shell: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
        command,
        stdin,
      }),
    async cleanUp() {
      await removeFolder(folder);
      await cgroup?.remove();
    },
  });
}

/**
 * Returns the shell commands that limit a process. Without a cgroup, the memory limit applies to each process, and the
 * number of processes is limited only on kernels that count it per user namespace (5.14 or newer): older ones would
 * count all processes of the user. The kernel applies neither limit to root.
 */
function limitScript({ memoryMb, pids }: SandboxOptions, cgroup: Cgroup | undefined): string {
  if (cgroup !== undefined) return 'ulimit -c 0;';
  const [major = 0, minor = 0] = release().split('.').map(Number);
  const countsByNamespace = major > 5 || (major === 5 && minor >= 14);
  const processes = countsByNamespace ? `ulimit -u ${pids} 2>/dev/null || ulimit -p ${pids};` : '';
  return `ulimit -c 0; ulimit -d ${Math.round(memoryMb * 1024)}; ${processes}`;
}

function findBwrap(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'bwrap')).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return path.startsWith('/');
  } catch {
    return false;
  }
}

async function probeBubblewrap(): Promise<SandboxProbe> {
  if (process.platform !== 'linux') {
    return { available: false, reason: 'bubblewrap runs on Linux only.', remedy: 'Use Docker.' };
  }
  const bwrap = findBwrap();
  if (bwrap === undefined) {
    return {
      available: false,
      reason: 'The program bwrap is not installed.',
      remedy: 'Install it: `apt install bubblewrap`, `dnf install bubblewrap` or `pacman -S bubblewrap`.',
    };
  }
  const failure = await tryBubblewrap(bwrap);
  if (failure === undefined) return { available: true, detail: bwrap };
  return { available: false, reason: `bwrap failed: ${failure}`, remedy: remedyFor(failure) };
}

/** Opens a minimal sandbox with all namespaces. Returns the error text, or undefined. */
function tryBubblewrap(bwrap: string): Promise<string | undefined> {
  const layout = [
    '--unshare-all',
    '--cap-drop',
    'ALL',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
  ];
  return new Promise((resolve) => {
    execFile(bwrap, [...layout, '/bin/sh', '-c', ':'], { timeout: 10_000 }, (error, _stdout, stderr) => {
      resolve(error === null ? undefined : stderr.trim() || error.message);
    });
  });
}

function remedyFor(failure: string): string {
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) {
    return 'This is a container: start it with `--security-opt seccomp=unconfined --security-opt systempaths=unconfined` or `--privileged`, or mount the Docker socket into it.';
  }
  if (existsSync('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')) {
    return 'Ubuntu restricts user namespaces to programs with an AppArmor profile: add one for bwrap, or run `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`.';
  }
  if (/namespace|uid map|clone/i.test(failure)) {
    return 'User namespaces are disabled: run `sudo sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000`.';
  }
  return 'Check that this command works: `bwrap --unshare-all --ro-bind / / true`.';
}
