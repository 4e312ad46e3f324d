import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LonghaulError } from '@longhaul/protocol';
import type Docker from 'dockerode';
import { isOwnerAlive } from '../process-identity.ts';

export const LABELS = {
  session: 'longhaul.session',
  owner: 'longhaul.owner',
  ownerPid: 'longhaul.owner-pid',
  host: 'longhaul.host',
} as const;

const ANSWER_TIMEOUT_MS = 5_000;

export type Engine =
  | {
      ok: true;
      docker: Docker;
      version: string;
      cpus: number;
      isRootless: boolean;
      /** What the engine cannot enforce, one entry per limit or protection. */
      gaps: readonly string[];
    }
  | { ok: false; reason: string; remedy: string };

/** Connects to the engine. The client is loaded only if there is a socket and something listens on it. */
export async function connectEngine(): Promise<Engine> {
  const address = findEngine();
  if (address === undefined) {
    return {
      ok: false,
      reason: process.env['DOCKER_HOST']
        ? `No Docker engine was found at DOCKER_HOST (${process.env['DOCKER_HOST']}).`
        : 'No Docker engine was found (no socket, and DOCKER_HOST is not set).',
      remedy: 'Install and start Docker.',
    };
  }
  try {
    if (address.socketPath !== undefined) await checkListening(address.socketPath);
    const { default: DockerClient } = await import('dockerode');
    const docker = address.socketPath === undefined ? new DockerClient() : new DockerClient(address);
    const late = sleep(ANSWER_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error(`no answer within ${ANSWER_TIMEOUT_MS / 1000} seconds`);
    });
    const info = await Promise.race([docker.info(), late]);
    return {
      ok: true,
      docker,
      version: info.ServerVersion,
      cpus: info.NCPU,
      isRootless: hasSecurity(info, 'rootless'),
      gaps: gapsOf(info),
    };
  } catch (error) {
    const isForbidden = error instanceof Error && 'code' in error && error.code === 'EACCES';
    return {
      ok: false,
      reason: `The Docker engine does not answer: ${reasonOf(error)}.`,
      remedy: isForbidden
        ? 'Add yourself to the group docker: `sudo usermod -aG docker $USER`, then log in again.'
        : 'Start Docker, and check that `docker version` shows a server.',
    };
  }
}

/** The part of the engine's description that says what it enforces. */
export interface EngineInfo {
  SecurityOptions?: string[] | null;
  MemoryLimit?: boolean;
  PidsLimit?: boolean;
  CpuCfsQuota?: boolean;
}

function hasSecurity({ SecurityOptions }: EngineInfo, name: string): boolean {
  return (SecurityOptions ?? []).some((option) => option.includes(name));
}

/** Returns what the engine reports that it does not enforce. It accepts such limits without an error. */
export function gapsOf(info: EngineInfo): string[] {
  return [
    ...(hasSecurity(info, 'name=seccomp') && !hasSecurity(info, 'profile=unconfined')
      ? []
      : ['system calls are not filtered: the engine runs without its seccomp profile']),
    ...(info.MemoryLimit === false ? ['`memoryMb` is not limited'] : []),
    ...(info.PidsLimit === false ? ['`pids` is not limited'] : []),
    ...(info.CpuCfsQuota === false ? ['`cpus` is not limited'] : []),
  ];
}

/** Throws the system's error if nothing accepts connections on the socket. */
async function checkListening(socketPath: string): Promise<void> {
  const socket = connect(socketPath);
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

/**
 * Returns the socket to use. No path means that DOCKER_HOST names a remote engine, which the client reads itself.
 * Undefined if there is no engine.
 */
function findEngine(): { socketPath?: string } | undefined {
  const host = process.env['DOCKER_HOST'];
  if (host !== undefined && host !== '') {
    if (!host.startsWith('unix://')) return {};
    const socketPath = host.slice('unix://'.length);
    return existsSync(socketPath) ? { socketPath } : undefined;
  }
  const runtime = process.env['XDG_RUNTIME_DIR'];
  const socketPath = [
    '/var/run/docker.sock',
    ...(runtime === undefined ? [] : [join(runtime, 'docker.sock')]),
    join(homedir(), '.docker/run/docker.sock'),
  ].find((path) => existsSync(path));
  return socketPath === undefined ? undefined : { socketPath };
}

/**
 * Pulls the image if it is not on this machine.
 *
 * @throws {LonghaulError} `sandbox_unavailable`; `cancelled`.
 */
export async function ensureImage(docker: Docker, image: string, signal?: AbortSignal): Promise<void> {
  try {
    await docker.getImage(image).inspect();
    return;
  } catch (error) {
    if (statusOf(error) !== 404)
      throw unavailable(`The image ${image} cannot be looked up: ${reasonOf(error)}.`, error);
  }
  try {
    const progress = await docker.pull(image, { abortSignal: signal });
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    if (signal?.aborted)
      throw new LonghaulError('cancelled', `Cancelled while ${image} was pulled.`, { cause: error });
    throw unavailable(
      `The image ${image} is not on this machine and cannot be pulled: ${reasonOf(error)}. ` +
        'Check its name and the network, or set `sandbox.image` to one that `docker images` lists.',
      error,
    );
  }
}

/** Whether the image is on this machine. False if the engine fails to answer. */
export function hasImage(docker: Docker, image: string): Promise<boolean> {
  return docker
    .getImage(image)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

/** Removes the containers of this machine's processes that died without removing them. */
export async function removeOrphanedContainers(docker: Docker): Promise<void> {
  const filters = { label: [`${LABELS.owner}`, `${LABELS.host}=${hostname()}`] };
  const containers = await docker.listContainers({ all: true, filters });
  const orphans = containers.filter(({ Labels }) => !isOwnerAlive(Labels[LABELS.owner] ?? ''));
  await Promise.all(orphans.map(({ Id }) => removeContainer(docker.getContainer(Id))));
}

export async function removeContainer(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    // Already gone, or another process is removing it.
    if (!isGone(error)) throw error;
  }
}

/** Whether the container does not exist or does not run. */
export function isGone(error: unknown): boolean {
  const status = statusOf(error);
  return status === 404 || status === 409;
}

export function unavailable(message: string, cause: unknown): LonghaulError {
  return new LonghaulError('sandbox_unavailable', message, { cause });
}

/** Returns the engine's message without the client's prefix. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const body = 'json' in error ? error.json : undefined;
  const said = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  const text = typeof said === 'string' ? said : error.message.replace(/^\(HTTP code \d+\) [\w ]+ - /, '');
  return text.trim().replace(/\.$/, '');
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
}
