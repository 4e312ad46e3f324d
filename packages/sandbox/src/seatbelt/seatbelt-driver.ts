import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Sandbox, SandboxDriver, SandboxOptions, SandboxProbe } from '@longhaul/core';
import { removeFolder } from '@longhaul/core/remove-folder';
import { LonghaulError } from '@longhaul/protocol';
import { killOrphans } from '../command/command-mark.ts';
import { endProcesses, outOfReach } from '../command/end-processes.ts';
import { commandEnvironment } from '../command-environment.ts';
import { createSandbox, ENDS_WITH_COMMAND } from '../create-sandbox.ts';
import type { RootFolder } from '../files/root-folder.ts';
import { createWorkspaceFiles } from '../files/workspace-files.ts';
import { hostShell, withoutStartFile } from '../host-shell.ts';
import { startLocal } from '../local/start-local.ts';
import { openWorkspace } from '../open-workspace.ts';
import { makeTempFolder, removeOrphanedTempFolders } from '../temp-folder.ts';
import { seatbeltArguments } from './seatbelt-profile.ts';

export interface SeatbeltHost {
  platform: NodeJS.Platform;
  /** Path of `sandbox-exec`. */
  program: string;
}

const HOST: SeatbeltHost = { platform: process.platform, program: '/usr/bin/sandbox-exec' };

const SYSTEM_PATH = '/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

const GAPS = [
  'memory, processor time and the number of processes are not limited',
  'without a network, commands cannot reach each other either',
  'it was written without a Mac: nobody has tested that it isolates',
];

/**
 * Isolates commands with the sandbox of macOS, through `sandbox-exec`. The workspace is writable, the system is
 * read-only, and other files can be neither read nor listed. The names of the folders above the workspace are visible.
 */
export function createSeatbeltDriver(host = HOST): SandboxDriver {
  return {
    kind: 'seatbelt',
    probe: () => probe(host),
    async open(options) {
      const root = await openWorkspace(options);
      const found = await probe(host);
      if (found.available) return openSeatbelt(root, options, host);
      throw new LonghaulError(
        'sandbox_unavailable',
        `Seatbelt cannot be used. ${found.reason} ${found.remedy}`,
      );
    },
    end: async (place) => outOfReach(place) ?? (await endProcesses(place)),
  };
}

async function probe({ platform, program }: SeatbeltHost): Promise<SandboxProbe> {
  const remedy = 'Use docker, or bubblewrap on Linux.';
  if (platform !== 'darwin') return { available: false, reason: 'It is part of macOS.', remedy };
  try {
    await promisify(execFile)(program, ['-p', '(version 1)(allow default)', '/usr/bin/true']);
    return { available: true, detail: program, gaps: GAPS };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { available: false, reason: `${program} does not work: ${reason}`, remedy };
  }
}

async function openSeatbelt(
  root: RootFolder,
  options: SandboxOptions,
  { program }: SeatbeltHost,
): Promise<Sandbox> {
  // Throws for a bad environment before anything is created.
  commandEnvironment({}, options);
  await killOrphans();
  await removeOrphanedTempFolders();
  const folder = await makeTempFolder(root.path);
  const [tmp, home] = [join(folder, 'tmp'), join(folder, 'home')];
  await mkdir(tmp);
  await mkdir(home);
  const path = [...options.programFolders, SYSTEM_PATH].join(delimiter);
  const environment = commandEnvironment({ HOME: home, TMPDIR: tmp, PATH: path }, options);
  const shell = hostShell();
  return createSandbox({
    kind: 'seatbelt',
    workspacePath: root.path,
    description: `seatbelt, network ${options.network}`,
    platform: shell.platform,
    rules: ENDS_WITH_COMMAND,
    files: createWorkspaceFiles(root, root.path),
    recordProcess: options.recordProcess,
    start: async (command, { cwd, ...rest }) => {
      root.requireInPlace();
      const confined = seatbeltArguments({
        workspace: root.path,
        tmp,
        home,
        readable: options.programFolders,
        network: options.network,
      });
      const words = [program, ...confined, shell.path, ...withoutStartFile(shell.path), '-c', command];
      const started = await startLocal(words, {
        ...rest,
        driver: 'seatbelt',
        cwd: resolve(root.path, cwd),
        env: environment,
        isKept: false,
      });
      return { ...started, countRunning: undefined, abandon: undefined };
    },
    cleanUp: () => removeFolder(folder),
  });
}
