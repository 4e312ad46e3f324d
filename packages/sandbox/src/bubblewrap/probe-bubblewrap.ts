import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { release } from 'node:os';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { SandboxProbe } from '@longhaul/core';
import { findHostProgram } from '@longhaul/core/host-programs';
import { mountPrograms } from './bwrap-arguments.ts';
import { makeCgroup } from './cgroup.ts';
import { CONFINE_PATH, confineProgram, placeConfineProgram } from './confine-program.ts';
import { seccompFilter } from './seccomp-filter.ts';

/** A `bwrap` that works on this machine. */
export interface Bubblewrap {
  available: true;
  /** Path of the program. */
  bwrap: string;
  /** The arguments that separate commands from this machine. */
  isolation: readonly string[];
  /** The program that keeps commands from this machine's abstract sockets. Undefined if it does not work here. */
  confine: Buffer | undefined;
}

export type FoundBubblewrap = Bubblewrap | Extract<SandboxProbe, { available: false }>;

/**
 * The arguments that separate commands from this machine, the best first. `--disable-userns` needs bubblewrap 0.8 and a
 * writable /proc/sys. Where the first does not work, the seccomp filter alone refuses nested user namespaces.
 */
const ISOLATION = [
  // Root inside could use a capability to make the read-only mounts writable again.
  ['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL'],
  ['--unshare-all', '--cap-drop', 'ALL'],
] as const;

/** Whether the kernel counts the processes of a user namespace by itself: Linux 5.14 or newer. */
export function countsProcessesByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/** Finds the program, and arguments with which it works here. */
export async function findBubblewrap(): Promise<FoundBubblewrap> {
  if (process.platform !== 'linux') {
    return { available: false, reason: 'bubblewrap runs on Linux only.', remedy: 'Use Docker.' };
  }
  const bwrap = findHostProgram('bwrap');
  if (bwrap === undefined) {
    return {
      available: false,
      reason: 'The program bwrap is not installed.',
      remedy: 'Install it: `apt install bubblewrap`, `dnf install bubblewrap` or `pacman -S bubblewrap`.',
    };
  }
  let failure: string | undefined;
  const program = confineProgram();
  for (const isolation of ISOLATION) {
    for (const confine of program === undefined ? [undefined] : [program, undefined]) {
      failure = await tryBubblewrap(bwrap, { isolation, confine });
      if (failure === undefined) return { available: true, bwrap, isolation, confine };
    }
  }
  return { available: false, reason: `bwrap failed: ${failure}`, remedy: remedyFor(failure ?? '') };
}

const CONFINE_FD = 3;
const PROBE_TIMEOUT_MS = 10_000;

/** Opens a minimal sandbox. Returns the error text, or undefined. */
async function tryBubblewrap(
  bwrap: string,
  { isolation, confine }: Pick<Bubblewrap, 'isolation' | 'confine'>,
): Promise<string | undefined> {
  const layout = [...isolation, ...mountPrograms(), '--proc', '/proc', '--dev', '/dev'];
  const place = confine === undefined ? [] : ['--tmpfs', '/run', ...placeConfineProgram(CONFINE_FD)];
  const command = [...(confine === undefined ? [] : [CONFINE_PATH]), '/bin/sh', '-c', ':'];
  const child = spawn(bwrap, [...layout, ...place, ...command], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    timeout: PROBE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const closed = once(child, 'close');
  const data = child.stdio[CONFINE_FD];
  if (data instanceof Writable) {
    // bwrap may end before it reads.
    data.on('error', () => undefined);
    data.end(confine ?? '');
  }
  try {
    const [said, [code]] = await Promise.all([child.stderr === null ? '' : text(child.stderr), closed]);
    return code === 0 ? undefined : said.trim() || `it ended with ${code ?? 'a signal'}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns what the sandbox cannot enforce on this machine, one entry per limit or protection. */
export async function findGaps({
  isolation,
  confine,
}: Pick<Bubblewrap, 'isolation' | 'confine'>): Promise<string[]> {
  const gaps: string[] = [];
  const hasFilter = seccompFilter() !== undefined;
  if (!hasFilter) gaps.push(`system calls are not filtered: there is no filter for ${process.arch}`);
  if (!hasFilter && !isolation.includes('--disable-userns'))
    gaps.push('commands can create user namespaces: that needs bubblewrap 0.8 or newer');
  if (confine === undefined) {
    gaps.push(
      'with `network: on`, commands can connect to abstract Unix sockets of this machine, such as those of X11: that needs Linux 6.12 with Landlock, on x86_64',
    );
  }
  const cgroup = await makeCgroup({ memoryMb: 64, pids: 8, cpus: 1 });
  if (cgroup !== undefined) {
    await cgroup.remove();
    return gaps;
  }
  gaps.push('`memoryMb` limits each process, not all together', '`cpus` is not limited');
  const isRoot = process.getuid?.() === 0;
  if (isRoot || !countsProcessesByNamespace()) gaps.push('`pids` is not limited');
  return gaps;
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
