import { access, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Where cgroups of version 2 are mounted. */
const BASE = '/sys/fs/cgroup';
/** The cgroup of a server whose service has others for its sandboxes. */
const SERVER = 'longhaul-server';
const SANDBOXES = 'longhaul-sandboxes';
const CONTROLLERS = ['cpu', 'memory', 'pids'];

export interface ServiceCgroupOptions {
  /** What sandboxes leave to the server of the memory that the service may use. */
  reservedBytes: number;
  /** Default: where the system mounts cgroups. */
  base?: string;
  /** The text of `/proc/self/cgroup`. Default: read there. */
  own?: string;
  /** Default: this process, and the one that started it, which is a launcher if it is in the same cgroup. */
  pids?: readonly number[];
}

/**
 * Divides the cgroup of a systemd service with `Delegate=yes`: one part for the server, and one for all its sandboxes
 * together, whose processes the kernel ends before it ends the server. Call it before the process starts others.
 *
 * @returns Whether sandboxes now share a cgroup. False: this process is no such service.
 */
export async function divideServiceCgroup({
  reservedBytes,
  base = BASE,
  own,
  pids = [process.pid, process.ppid],
}: ServiceCgroupOptions): Promise<boolean> {
  const service = join(base, (await ownPath(own)) ?? '');
  if (!service.endsWith('.service') || !(await isDelegated(service))) return false;
  const members = (await textOf(service, 'cgroup.procs')).trim().split('\n');
  if (!members.every((pid) => pids.includes(Number(pid)))) return false;
  try {
    const server = join(service, SERVER);
    await mkdir(server, { recursive: true });
    for (const pid of members) await writeFile(join(server, 'cgroup.procs'), pid);
    await enableControllers(service);
    const sandboxes = join(service, SANDBOXES);
    await mkdir(sandboxes, { recursive: true });
    await enableControllers(sandboxes);
    const limit = Number(await readFile(join(service, 'memory.max'), 'utf8'));
    if (limit > reservedBytes) await writeFile(join(sandboxes, 'memory.max'), String(limit - reservedBytes));
    return true;
  } catch {
    // The service has no right to one of these. Sandboxes then have other limits.
    return false;
  }
}

/** The folder for the cgroups of sandboxes, if the cgroup of this process's service was divided. */
export async function sandboxesCgroup({
  base = BASE,
  own,
}: {
  base?: string;
  own?: string;
} = {}): Promise<string | undefined> {
  const path = await ownPath(own);
  if (path === undefined || basename(path) !== SERVER) return undefined;
  return join(base, dirname(path), SANDBOXES);
}

/** The path of this process's cgroup of version 2. Undefined: it has none. */
async function ownPath(own: string | undefined): Promise<string | undefined> {
  const text = own ?? (await readFile('/proc/self/cgroup', 'utf8').catch(() => ''));
  return /^0::(\/.*)$/m.exec(text)?.[1];
}

/** Whether this process may divide the cgroup. */
async function isDelegated(service: string): Promise<boolean> {
  const given = (await textOf(service, 'cgroup.controllers')).trim().split(' ');
  if (!CONTROLLERS.every((name) => given.includes(name))) return false;
  return await access(join(service, 'cgroup.subtree_control'), constants.W_OK).then(
    () => true,
    () => false,
  );
}

function textOf(folder: string, file: string): Promise<string> {
  return readFile(join(folder, file), 'utf8').catch(() => '');
}

async function enableControllers(folder: string): Promise<void> {
  await writeFile(join(folder, 'cgroup.subtree_control'), CONTROLLERS.map((name) => `+${name}`).join(' '));
}
