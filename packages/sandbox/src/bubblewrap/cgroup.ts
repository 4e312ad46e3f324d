import { existsSync } from 'node:fs';
import { access, constants, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { basename, join, normalize } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from '../command/process-tree.ts';
import { systemCode } from '../files/file-errors.ts';
import { isOwnerAlive, ownerName } from '../process-identity.ts';
import { sandboxesCgroup } from './service-cgroup.ts';

const BASE = '/sys/fs/cgroup';
const PREFIX = 'longhaul-';
const CPU_PERIOD_US = 100_000;
const REMOVE_ATTEMPTS = 50;

export interface Limits {
  memoryMb: number;
  pids: number;
  cpus: number;
}

/** Limits that apply to all processes of a sandbox together. */
export interface Cgroup {
  /** A process that writes its pid into `cgroup.procs` of all of these is limited. */
  readonly folders: readonly string[];
  remove(): Promise<void>;
}

/** The files that set the limits and their values, by parent folder. For cgroup version 2 or 1. */
type Settings = Record<string, Record<string, string>>;

/** Creates a cgroup. Undefined if this process may not, which is usual for users other than root. */
export async function makeCgroup(limits: Limits): Promise<Cgroup | undefined> {
  const settings = await findSettings(limits);
  if (settings === undefined) return undefined;
  await removeOrphans(Object.keys(settings));
  const name = `${PREFIX}${ownerName()}-${crypto.randomUUID()}`;
  const folders: string[] = [];
  const remove = async () => {
    for (const folder of folders) await removeCgroup(folder);
  };
  try {
    for (const [parent, files] of Object.entries(settings)) {
      const folder = join(parent, name);
      await mkdir(folder);
      folders.push(folder);
      for (const [file, value] of Object.entries(files)) await writeFile(join(folder, file), value);
    }
  } catch {
    // The controller is listed but cannot be used: this is a container, or the kernel lacks it. The caller uses rlimits
    // instead.
    await remove();
    return undefined;
  }
  return { folders, remove };
}

async function findSettings({ memoryMb, pids, cpus }: Limits): Promise<Settings | undefined> {
  const bytes = String(Math.round(memoryMb * 1024 * 1024));
  const quota = Math.round(cpus * CPU_PERIOD_US);
  if (existsSync(join(BASE, 'cgroup.subtree_control'))) {
    const parent = (await sandboxesCgroup()) ?? BASE;
    const text = await readFile(join(parent, 'cgroup.subtree_control'), 'utf8').catch(() => '');
    const enabled = text.trim().split(' ');
    if (!['cpu', 'memory', 'pids'].every((name) => enabled.includes(name)) || !(await isWritable(parent)))
      return;
    return {
      [parent]: { 'memory.max': bytes, 'pids.max': String(pids), 'cpu.max': `${quota} ${CPU_PERIOD_US}` },
    };
  }
  const settings: Settings = {
    [join(BASE, 'memory')]: { 'memory.limit_in_bytes': bytes },
    [join(BASE, 'pids')]: { 'pids.max': String(pids) },
    [join(BASE, 'cpu')]: { 'cpu.cfs_period_us': String(CPU_PERIOD_US), 'cpu.cfs_quota_us': String(quota) },
  };
  for (const folder of Object.keys(settings)) if (!(await isWritable(folder))) return undefined;
  // It sets no limit. It stops all processes at once, so that they can be killed.
  const freezer = join(BASE, 'freezer');
  return (await isWritable(freezer)) ? { ...settings, [freezer]: {} } : settings;
}

function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Stops all processes of a cgroup, kills them and removes its folders, in any process of the same machine. A process
 * that has not joined it yet then cannot. Returns whether a process was found.
 */
export async function killCgroups(folders: readonly string[]): Promise<boolean> {
  // The paths were stored. They can only name cgroups that `makeCgroup` makes.
  const own = folders.filter(
    (folder) =>
      normalize(folder) === folder && folder.startsWith(`${BASE}/`) && basename(folder).startsWith(PREFIX),
  );
  const freezes = FREEZES.flatMap(({ file, ...values }) =>
    own.map((folder) => ({ path: join(folder, file), ...values })).filter(({ path }) => existsSync(path)),
  );
  for (const { path, frozen } of freezes) await writeFile(path, frozen);
  const members = async () => (await Promise.all(own.map(membersOf))).flat();
  const isFound = (await members()).length > 0;
  sendSignal(await members(), 'SIGKILL');
  for (const { path, thawed } of freezes) await writeFile(path, thawed);
  for (let attempt = 0; attempt < REMOVE_ATTEMPTS && (await members()).length > 0; attempt += 1) {
    sendSignal(await members(), 'SIGKILL');
    await sleep(10);
  }
  for (const folder of own) await removeCgroup(folder);
  return isFound;
}

/** The files that stop a cgroup, of version 2 and of version 1. */
const FREEZES = [
  { file: 'cgroup.freeze', frozen: '1', thawed: '0' },
  { file: 'freezer.state', frozen: 'FROZEN', thawed: 'THAWED' },
] as const;

async function membersOf(folder: string): Promise<number[]> {
  const pids = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  return pids.split('\n').filter(Boolean).map(Number);
}

/** Removes a cgroup. Retries, because the kernel releases it a moment after its last process has ended. */
async function removeCgroup(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rmdir(folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return;
      if (systemCode(error) !== 'EBUSY' || attempt === REMOVE_ATTEMPTS) throw error;
    }
    await sleep(10);
  }
}

async function removeOrphans(parents: readonly string[]): Promise<void> {
  for (const parent of parents) {
    for (const name of await readdir(parent)) {
      if (!name.startsWith(PREFIX) || isOwnerAlive(name.slice(PREFIX.length).split('-')[0] ?? '')) continue;
      try {
        await removeCgroup(join(parent, name));
      } catch (error) {
        // A process out of our reach still uses it. The next sandbox that opens tries again.
        if (systemCode(error) !== 'EBUSY') throw error;
      }
    }
  }
}
