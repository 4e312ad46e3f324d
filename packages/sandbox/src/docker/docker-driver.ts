import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { posix } from 'node:path';
import type { Sandbox, SandboxDriver, SandboxOptions, SharedFolder } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { Container, ContainerCreateOptions } from 'dockerode';
import type { RunningCommand } from '../command/supervise-command.ts';
import { COMMAND_VARIABLE, commandEnvironment } from '../command-environment.ts';
import { createSandbox, ENDS_WITH_COMMAND } from '../create-sandbox.ts';
import type { RootFolder } from '../files/root-folder.ts';
import { createWorkspaceFiles } from '../files/workspace-files.ts';
import { openWorkspace } from '../open-workspace.ts';
import { ownerName } from '../process-identity.ts';
import { mountableFolders, requireShared } from '../shared-folders.ts';
import { canRun, type DockerCommand, engineFailure, startDockerCommand } from './docker-command.ts';
import { endContainer } from './end-container.ts';
import {
  connectEngine,
  type Engine,
  ensureImage,
  hasImage,
  isGone,
  LABELS,
  reasonOf,
  removeContainer,
  removeOrphanedContainers,
  unavailable,
} from './engine.ts';
import { CONTAINER_MARK } from './supervisor-script.ts';

const WORKSPACE_PATH = '/workspace';
/** In the container's own layer. On a tmpfs, a package cache would count as memory. */
const HOME_PATH = '/tmp/longhaul-home';

/** Runs one container per sandbox, with the workspace mounted at `/workspace`. It is started again if it dies. */
export function createDockerDriver(): SandboxDriver {
  return {
    kind: 'docker',
    async probe({ image } = {}) {
      const engine = await connectEngine();
      if (!engine.ok) return { available: false, reason: engine.reason, remedy: engine.remedy };
      const { gaps } = engine;
      const detail = `Docker ${engine.version}`;
      if (image === undefined) return { available: true, detail, gaps };
      const isHere = await hasImage(engine.docker, image);
      const where = isHere ? 'is here' : 'is not here yet: the first run pulls it';
      return { available: true, detail: `${detail}; the image ${image} ${where}`, gaps };
    },
    async open(options) {
      const root = await openWorkspace(options);
      const engine = await connectEngine();
      if (!engine.ok)
        throw unavailable(`Docker cannot be used. ${engine.reason} ${engine.remedy}`, undefined);
      return openDocker(engine, root, options);
    },
    end: endContainer,
  };
}

type ReadyEngine = Extract<Engine, { ok: true }>;

/** The image decides what is there. */
const OUTSIDE = 'The container has its own files there, if any: use bash, for example ls.';

async function openDocker(engine: ReadyEngine, root: RootFolder, options: SandboxOptions): Promise<Sandbox> {
  const { docker } = engine;
  await ensureImage(docker, options.image, options.signal);
  await removeOrphanedContainers(docker).catch((error: unknown) => {
    throw unavailable(`Containers of an earlier run cannot be removed: ${reasonOf(error)}.`, error);
  });
  const create = async () => {
    const shared = mountableFolders(root.path, options.sharedFolders);
    const container = await startContainer(
      engine,
      containerOptions(engine, { root: root.path, shared }, options),
    );
    try {
      // The engine has mounted what was at the paths.
      root.requireInPlace();
      requireShared(root.path, shared);
      return container;
    } catch (error) {
      await removeContainer(container);
      throw error;
    }
  };
  const keeper = createKeeper(await create(), create);
  if (options.signal?.aborted) {
    await keeper.remove();
    throw new LonghaulError('cancelled', 'Cancelled while the sandbox was opened.');
  }
  return createSandbox({
    kind: 'docker',
    workspacePath: WORKSPACE_PATH,
    description: `docker ${options.image}, network ${options.network}`,
    platform: 'Linux, bash if the image has it, otherwise sh',
    rules: ENDS_WITH_COMMAND,
    files: createWorkspaceFiles(root, WORKSPACE_PATH, (path) => (path.startsWith('/') ? OUTSIDE : '')),
    recordProcess: options.recordProcess,
    start: (command, { cwd, ...rest }) =>
      keeper.start({ ...rest, command, cwd: posix.join(WORKSPACE_PATH, cwd) }),
    cleanUp: () => keeper.remove(),
  });
}

/** Holds the container, and starts or replaces it if it has died. */
function createKeeper(first: Container, create: () => Promise<Container>) {
  let current = Promise.resolve(first);
  const revive = async (dead: Container) => {
    try {
      // A restarted container keeps the files that commands wrote outside the workspace.
      await dead.start();
      return dead;
    } catch {
      // If it cannot start, a new one is created. If that fails too, its error is thrown.
      await removeContainer(dead);
      return create();
    }
  };
  return {
    async start(request: DockerCommand): Promise<RunningCommand> {
      const attempt = current;
      try {
        return await startDockerCommand(await attempt, request);
      } catch (error) {
        if (!isGone(error) && !isUnavailable(error)) throw engineFailure(error);
      }
      // If several commands find the container dead, only one revives it. The next command after a failure tries again.
      if (current === attempt) {
        const dead = await attempt.catch(() => first);
        if (current === attempt) current = revive(dead);
      }
      try {
        return await startDockerCommand(await current, request);
      } catch (error) {
        throw engineFailure(error);
      }
    },
    async remove(): Promise<void> {
      await removeContainer(await current.catch(() => first));
    },
  };
}

/** Whether an earlier attempt to create the container has failed. */
function isUnavailable(error: unknown): boolean {
  return error instanceof LonghaulError && error.code === 'sandbox_unavailable';
}

/** @throws {LonghaulError} `sandbox_unavailable` if the container cannot be created or started. It is removed then. */
async function startContainer({ docker }: ReadyEngine, options: ContainerCreateOptions): Promise<Container> {
  let container: Container | undefined;
  try {
    container = await docker.createContainer(options);
    await container.start();
    // With an init process, a container starts even if it contains nothing to run.
    if (!(await canRun(container))) throw new Error('it cannot run /bin/sh');
    return container;
  } catch (error) {
    if (container !== undefined) await removeContainer(container);
    throw unavailable(
      `The container cannot be started from ${options.Image}: ${reasonOf(error)}. ` +
        'The image needs /bin/sh; the engine must see the workspace at the same path as this machine; `network: on` needs the engine to have a bridge network.',
      error,
    );
  }
}

function containerOptions(
  engine: ReadyEngine,
  { root, shared }: { root: string; shared: readonly SharedFolder[] },
  options: SandboxOptions,
): ContainerCreateOptions {
  const memory = Math.round(options.memoryMb * 1024 * 1024);
  const environment = commandEnvironment({ HOME: HOME_PATH, [COMMAND_VARIABLE]: CONTAINER_MARK }, options);
  return {
    name: `longhaul-${randomUUID()}`,
    Image: options.image,
    Entrypoint: ['/bin/sh', '-c', 'while :; do sleep 3600; done'],
    Cmd: [],
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    User: containerUser(engine.isRootless),
    WorkingDir: WORKSPACE_PATH,
    Hostname: 'longhaul',
    Labels: {
      [LABELS.session]: options.sessionId,
      [LABELS.owner]: ownerName(),
      [LABELS.ownerPid]: String(process.pid),
      [LABELS.host]: hostname(),
    },
    HostConfig: {
      Mounts: [
        { Type: 'bind', Source: root, Target: WORKSPACE_PATH },
        ...shared.map(
          ({ from, to }) =>
            ({ Type: 'bind', Source: from, Target: posix.join(WORKSPACE_PATH, to), ReadOnly: true }) as const,
        ),
      ],
      NetworkMode: options.network === 'on' ? 'default' : 'none',
      Memory: memory,
      MemorySwap: memory,
      PidsLimit: options.pids,
      // The engine refuses more processors than the machine has.
      NanoCpus: Math.round(Math.min(options.cpus, engine.cpus) * 1e9),
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
      Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    },
  };
}

/** Returns the user inside, so that new files belong to the caller. A rootless engine maps its root to the caller. */
function containerUser(isRootless: boolean): string {
  const { getuid, getgid } = process;
  if (isRootless || getuid === undefined || getgid === undefined) return '0:0';
  return `${getuid.call(process)}:${getgid.call(process)}`;
}
