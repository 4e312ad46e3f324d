import { delimiter, resolve } from 'node:path';
import type { Sandbox, SandboxDriver, SandboxOptions } from '@longhaul/core';
import { killOrphans } from '../command/command-mark.ts';
import { endProcesses, outOfReach } from '../command/end-processes.ts';
import { commandEnvironment } from '../command-environment.ts';
import { createSandbox } from '../create-sandbox.ts';
import { createMachineFiles } from '../files/machine-files.ts';
import { createWorkspaceFiles } from '../files/workspace-files.ts';
import { hostShell, withoutStartFile } from '../host-shell.ts';
import { openWorkspace } from '../open-workspace.ts';
import { followKept, startKept } from './kept-command.ts';
import { removeKeptOutput } from './kept-output.ts';
import { startLocal } from './start-local.ts';

/** Variables of our own environment that commands get. */
const PASSED_ON = ['HOME', 'USER', 'LOGNAME', 'TMPDIR', 'TZ'];

/** Runs commands on this machine as the current user, without isolation. Only by explicit choice. */
export function createLocalDriver(): SandboxDriver {
  return {
    kind: 'local',
    async probe() {
      if (process.platform === 'win32') {
        return { available: false, reason: 'It needs a POSIX shell.', remedy: 'Use WSL.' };
      }
      return { available: true, detail: 'no isolation: commands run on this machine as you', gaps: [] };
    },
    open: openLocal,
    end: async (place) => {
      const ending = outOfReach(place) ?? (await endProcesses(place));
      if (ending.ended !== 'unknown') await removeKeptOutput(place.mark);
      return ending;
    },
  };
}

async function openLocal(options: SandboxOptions): Promise<Sandbox> {
  const root = await openWorkspace(options);
  const environment = commandEnvironment(localEnvironment(options.programFolders), options);
  const shell = hostShell();
  await killOrphans();
  return createSandbox({
    kind: 'local',
    workspacePath: root.path,
    description: 'local, no isolation, network as on this machine',
    platform: shell.platform,
    rules: {
      files: 'absolute paths outside it work too',
      processes: `processes that a command leaves running live ${options.keepProcesses ? 'on after the run' : 'until the run ends'}`,
    },
    files: createWorkspaceFiles(root, root.path),
    toolFiles: createMachineFiles(
      root,
      options.refusedPaths ?? [],
      options.isCopy === true ? root.path : undefined,
    ),
    recordProcess: options.recordProcess,
    start: async (command, { cwd, ...rest }) => {
      root.requireInPlace();
      return startLocal([shell.path, ...withoutStartFile(shell.path), '-c', command], {
        ...rest,
        cwd: resolve(root.path, cwd),
        env: environment,
        isKept: options.keepProcesses ?? false,
        driver: 'local',
      });
    },
    kept: {
      start: async (command, { cwd, record }) => {
        root.requireInPlace();
        const words = [shell.path, ...withoutStartFile(shell.path), '-c', command];
        return startKept(words, { cwd: resolve(root.path, cwd), env: environment, record });
      },
      follow: followKept,
    },
    keepsProcesses: () => options.keepProcesses === true && options.signal?.aborted !== true,
    cleanUp: async () => undefined,
  });
}

function localEnvironment(programFolders: readonly string[]): Record<string, string> {
  // The machine's own programs come first: the project may need another version of Node than ours.
  const path = [process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', ...programFolders].join(delimiter);
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(passedOn), PATH: path };
}
