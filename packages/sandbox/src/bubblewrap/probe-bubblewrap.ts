import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { release } from 'node:os';
import type { SandboxProbe } from '@longhaul/core';
import { findHostProgram } from '@longhaul/core/host-programs';
import { makeCgroup } from './cgroup.ts';
import { seccompFilter } from './seccomp-filter.ts';

/** A `bwrap` that works on this machine. */
export interface Bubblewrap {
  available: true;
  /** Path of the program. */
  bwrap: string;
  /** The arguments that separate commands from this machine. */
  isolation: readonly string[];
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
  for (const isolation of ISOLATION) {
    failure = await tryBubblewrap(bwrap, isolation);
    if (failure === undefined) return { available: true, bwrap, isolation };
  }
  return { available: false, reason: `bwrap failed: ${failure}`, remedy: remedyFor(failure ?? '') };
}

/** Opens a minimal sandbox. Returns the error text, or undefined. */
function tryBubblewrap(bwrap: string, isolation: readonly string[]): Promise<string | undefined> {
  const layout = [...isolation, '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  return new Promise((resolve) => {
    execFile(bwrap, [...layout, '/bin/sh', '-c', ':'], { timeout: 10_000 }, (error, _stdout, stderr) => {
      resolve(error === null ? undefined : stderr.trim() || error.message);
    });
  });
}

/** Returns what the sandbox cannot enforce on this machine, one entry per limit or protection. */
export async function findGaps({ isolation }: Pick<Bubblewrap, 'isolation'>): Promise<string[]> {
  const gaps: string[] = [];
  const hasFilter = seccompFilter() !== undefined;
  if (!hasFilter) gaps.push(`system calls are not filtered: there is no filter for ${process.arch}`);
  if (!hasFilter && !isolation.includes('--disable-userns'))
    gaps.push('commands can create user namespaces: that needs bubblewrap 0.8 or newer');
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
