import { accessSync, constants, existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, isAbsolute, join, normalize } from 'node:path';
import type { SharedFolder } from '@longhaul/core';
import { isInside } from '@longhaul/core/host-paths';

export const WORKSPACE_PATH = '/workspace';
export const HOME_PATH = '/home/longhaul';
/** Where a folder of programs is mounted inside if one of our own paths takes its path. */
const MOVED_PROGRAMS_PATH = '/run/longhaul/programs';

export interface BwrapLayout {
  /** Real path of the workspace. */
  workspace: string;
  /** Private folder of the sandbox. Removed when the sandbox is disposed of. So is `home`. */
  tmp: string;
  home: string;
  programFolders: readonly string[];
  /** Folders that are mounted read-only in the workspace. */
  sharedFolders?: readonly SharedFolder[];
  /** `joined`: bwrap already runs in the network that the commands use. */
  network: 'on' | 'off' | 'joined';
}

/** Nothing of the host is mounted below these, folders of programs included. */
const OWN_PATHS = ['/proc', '/dev', '/tmp', '/run', HOME_PATH, WORKSPACE_PATH];

const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/**
 * Files below /etc that programs need. Nothing secret: no shadow, no keys, no configuration of the machine or a user
 * that may contain passwords.
 */
const SYSTEM_FILES = [
  'alternatives',
  'bash.bashrc',
  'ca-certificates',
  'ca-certificates.conf',
  'crypto-policies',
  'fonts',
  'group',
  'host.conf',
  'hosts',
  'java-17-openjdk',
  'java-21-openjdk',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'magic',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'perl',
  'pki/ca-trust',
  'pki/tls/certs',
  'profile',
  'protocols',
  'python3',
  'resolv.conf',
  'services',
  'shells',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
  'timezone',
];

/** Files below /proc that uid 0 may write, or must not read, whatever its capabilities. */
const PROC_READ_ONLY = ['/proc/sys', '/proc/acpi', '/proc/scsi', '/proc/mtrr'];
const PROC_HIDDEN = ['/proc/sysrq-trigger', '/proc/kcore', '/proc/kmsg', '/proc/keys', '/proc/timer_list'];

/**
 * Returns the arguments of bwrap between its isolation and the environment. Later mounts cover earlier ones, so the
 * workspace comes last: only folders that are shared with it cover a part of it. `docs/sandbox.md` explains each argument.
 */
export function bwrapArguments(layout: BwrapLayout): string[] {
  return [
    ...(layout.network === 'off' ? [] : ['--share-net']),
    '--die-with-parent',
    '--new-session',
    ...['--hostname', 'longhaul'],
    ...mountPrograms(),
    ...SYSTEM_FILES.map((name) => `/etc/${name}`).flatMap(mountReadOnly),
    ...['--proc', '/proc'],
    ...PROC_READ_ONLY.flatMap(mountReadOnly),
    ...PROC_HIDDEN.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...['--dev', '/dev'],
    ...['--bind', layout.tmp, '/tmp'],
    ...['--dir', '/run'],
    ...['--bind', layout.home, HOME_PATH],
    ...placeProgramFolders(layout).flatMap(mountProgramFolder),
    ...['--bind', layout.workspace, WORKSPACE_PATH],
    ...(layout.sharedFolders ?? []).flatMap(({ from, to }) => ['--ro-bind', from, `${WORKSPACE_PATH}/${to}`]),
  ];
}

/**
 * Returns the arguments that mount the system's programs and libraries, and nothing else. `--ro-bind / /` would fail
 * whenever something below it is unmounted at the same time, such as the file system of a container that ends.
 */
export function mountPrograms(): string[] {
  return SYSTEM_FOLDERS.flatMap(mountSystemFolder);
}

/** Returns the PATH of commands, with the folders of programs first. */
export function bwrapPath(layout: BwrapLayout): string {
  const system = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  return [...placeProgramFolders(layout).map(({ to }) => to), ...system].join(':');
}

interface PlacedFolder {
  /** Absent if the folder is already mounted. */
  from?: string;
  to: string;
}

/**
 * Returns where each folder of programs is inside. Leaves out folders that do not exist, and folders above one of ours,
 * such as `/`, because they would show much more of the host than programs.
 */
function placeProgramFolders({ programFolders, workspace }: BwrapLayout): PlacedFolder[] {
  const own = [...OWN_PATHS, ...SYSTEM_FOLDERS];
  return programFolders
    .filter((folder) => folder.startsWith('/') && existsSync(folder))
    .map((folder) => ({ folder, from: realpathSync(folder) }))
    .filter(({ from }) => from !== '/' && !OWN_PATHS.some((path) => isInside(path, from)))
    .map(({ folder, from }, index) => {
      if (isInside(from, workspace)) return { to: WORKSPACE_PATH + from.slice(workspace.length) };
      if (SYSTEM_FOLDERS.some((system) => isInside(from, system))) return { to: from };
      const isTaken = own.some((path) => isInside(folder, path));
      return { from, to: isTaken ? `${MOVED_PROGRAMS_PATH}/${index}/bin` : folder };
    });
}

/**
 * Mounts `../lib/node_modules` too if the folder is a `bin`: in a Node installation outside the system folders,
 * `bin/npm` is a link to it.
 */
function mountProgramFolder({ from, to }: PlacedFolder): string[] {
  if (from === undefined) return [];
  if (basename(from) !== 'bin')
    return RUNTIMES.flatMap((name) => mountProgram(join(from, name), join(to, name)));
  const modules = '../lib/node_modules';
  return [
    ...['--ro-bind', from, to],
    ...(existsSync(join(from, modules)) ? ['--ro-bind', join(from, modules), join(to, modules)] : []),
  ];
}

/** What is mounted of a folder that is not only for programs, such as a home folder into which Node was copied. */
const RUNTIMES = ['node', 'npm', 'npx', 'bun'];

function mountProgram(from: string, to: string): string[] {
  return existsSync(from) ? ['--ro-bind', realpathSync(from), to] : [];
}

function mountSystemFolder(path: string): string[] {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info === undefined) return [];
  return info.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** Mounts a file read-only. For a link, such as a resolv.conf in /run, mounts its target. */
function mountReadOnly(path: string): string[] {
  return existsSync(path) ? ['--ro-bind', realpathSync(path), path] : [];
}

/** Returns what commands can do with a path outside the workspace, for a refusal. Empty: they cannot read it. */
export function remarkOutside(path: string, layout: BwrapLayout): string {
  if (!isAbsolute(path)) return '';
  const inside = normalize(path);
  const own = [HOME_PATH, '/tmp'].find((folder) => isInside(inside, folder));
  if (own !== undefined) return `${own} belongs to the sandbox: use bash there, for example cat or tee.`;
  return canRead(inside, layout) ? 'bash can read it, for example with cat, but not change it.' : '';
}

function canRead(path: string, layout: BwrapLayout): boolean {
  const mounted = [...SYSTEM_FOLDERS, ...SYSTEM_FILES.map((name) => `/etc/${name}`)];
  if (mounted.some((each) => isInside(path, each))) return isReadable(path);
  return placeProgramFolders(layout).some(
    ({ from, to }) => from !== undefined && isInside(path, to) && isReadable(from + path.slice(to.length)),
  );
}

/** A link can lead out of what is mounted. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    const real = realpathSync(path);
    return [...SYSTEM_FOLDERS, '/etc'].some((folder) => isInside(real, folder)) || real === path;
  } catch {
    return false;
  }
}
