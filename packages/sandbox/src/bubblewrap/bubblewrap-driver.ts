import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessEnding, ProcessPlace, Sandbox, SandboxDriver, SandboxOptions } from '@longhaul/core';
import { removeFolder } from '@longhaul/core/remove-folder';
import { LonghaulError } from '@longhaul/protocol';
import { killOrphans } from '../command/command-mark.ts';
import { endProcesses, outOfReach } from '../command/end-processes.ts';
import { commandEnvironment } from '../command-environment.ts';
import { createSandbox, ENDS_WITH_COMMAND } from '../create-sandbox.ts';
import type { RootFolder } from '../files/root-folder.ts';
import { createWorkspaceFiles } from '../files/workspace-files.ts';
import { hostShell } from '../host-shell.ts';
import { openWorkspace } from '../open-workspace.ts';
import { mountableFolders } from '../shared-folders.ts';
import { makeTempFolder, removeOrphanedTempFolders } from '../temp-folder.ts';
import { startBubblewrap } from './bubblewrap-command.ts';
import {
  type BwrapLayout,
  bwrapArguments,
  bwrapPath,
  HOME_PATH,
  remarkOutside,
  WORKSPACE_PATH,
} from './bwrap-arguments.ts';
import { type Cgroup, killCgroups, makeCgroup } from './cgroup.ts';
import {
  type Bubblewrap,
  countsProcessesByNamespace,
  type FoundBubblewrap,
  findBubblewrap,
  findGaps,
} from './probe-bubblewrap.ts';
import { seccompFilter } from './seccomp-filter.ts';
import { createSharedNetwork } from './shared-network.ts';

/**
 * Isolates commands in Linux namespaces through `bwrap`. The workspace is writable, the system's programs are
 * read-only, and nothing else of the host is visible.
 */
export function createBubblewrapDriver(): SandboxDriver {
  let known: Promise<FoundBubblewrap> | undefined;
  const find = async () => {
    known ??= findBubblewrap();
    const found = await known;
    // A missing program may be installed before the next probe.
    if (!found.available) known = undefined;
    return found;
  };
  return {
    kind: 'bubblewrap',
    async probe() {
      const found = await find();
      if (!found.available) return found;
      return { available: true, detail: found.bwrap, gaps: await findGaps(found) };
    },
    async open(options) {
      const root = await openWorkspace(options);
      const found = await find();
      if (found.available) return openBubblewrap(root, options, found);
      throw new LonghaulError(
        'sandbox_unavailable',
        `bubblewrap cannot be used. ${found.reason} ${found.remedy}`,
      );
    },
    end: endBubblewrap,
  };
}

/** Ends a command through its cgroup, if it has one, and by its processes. */
async function endBubblewrap(place: ProcessPlace): Promise<ProcessEnding> {
  const far = outOfReach(place);
  if (far !== undefined) return far;
  const isKilled = await killCgroups(place.cgroups ?? []);
  const ending = await endProcesses(place);
  return ending.ended === 'gone' && isKilled ? { ended: 'killed' } : ending;
}

async function openBubblewrap(
  root: RootFolder,
  options: SandboxOptions,
  { bwrap, isolation, confine }: Bubblewrap,
): Promise<Sandbox> {
  // Throws for a bad environment before anything is created.
  commandEnvironment({}, options);
  await killOrphans();
  await removeOrphanedTempFolders();
  const cgroup = await makeCgroup(options);
  const folder = await makeTempFolder(root.path);
  const layout: BwrapLayout = {
    workspace: root.path,
    tmp: join(folder, 'tmp'),
    home: join(folder, 'home'),
    programFolders: options.programFolders,
    network: options.network,
  };
  await mkdir(layout.tmp);
  await mkdir(layout.home);
  const environment = commandEnvironment({ HOME: HOME_PATH, PATH: bwrapPath(layout) }, options);
  const setEnvironment = Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]);
  const shell = hostShell();
  const network = options.network === 'off' ? createSharedNetwork(bwrap) : undefined;
  return createSandbox({
    kind: 'bubblewrap',
    workspacePath: WORKSPACE_PATH,
    description: `bubblewrap, network ${options.network}`,
    platform: shell.platform,
    rules: ENDS_WITH_COMMAND,
    files: createWorkspaceFiles(root, WORKSPACE_PATH, (path) => remarkOutside(path, layout)),
    recordProcess: options.recordProcess,
    start: async (command, { cwd, ...rest }) => {
      // Further commands must reach what this one serves.
      const joining = await network?.enter({ isNeeded: rest.keepsInput === true });
      const sharedFolders = mountableFolders(root.path, options.sharedFolders);
      const mounts = { ...layout, sharedFolders };
      return startBubblewrap({
        bwrap: [...(joining ?? []), bwrap],
        arguments: [
          ...isolation,
          ...bwrapArguments(joining === undefined ? mounts : { ...mounts, network: 'joined' }),
          '--clearenv',
          ...setEnvironment,
          '--chdir',
          join(WORKSPACE_PATH, cwd),
        ],
        workspace: { path: WORKSPACE_PATH, root },
        sharedFolders,
        filter: seccompFilter(),
        // Without a network of this machine, there are none of its abstract sockets.
        confine: options.network === 'on' ? confine : undefined,
        cgroups: cgroup?.folders ?? [],
        limitScript: limitScript(options, cgroup),
        shell: shell.path,
        command,
        ...rest,
      });
    },
    async cleanUp() {
      await network?.close();
      await removeFolder(folder);
      await cgroup?.remove();
    },
  });
}

/**
 * Returns the shell commands that limit a process. Without a cgroup, the memory limit applies to each process. The
 * number of processes is limited only on kernels that count it per user namespace (5.14 or newer): older ones would
 * count all processes of the user. The kernel does not limit the number of processes of root.
 */
function limitScript({ memoryMb, pids }: SandboxOptions, cgroup: Cgroup | undefined): string {
  if (cgroup !== undefined) return 'ulimit -c 0;';
  const processes = countsProcessesByNamespace() ? `ulimit -u ${pids} 2>/dev/null || ulimit -p ${pids};` : '';
  return `ulimit -c 0; ulimit -d ${Math.round(memoryMb * 1024)}; ${processes}`;
}
