import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';

export const WORKSPACE_PATH = '/workspace';
export const HOME_PATH = '/home/longhaul';
/** Where a folder of programs stands inside when its own path is taken by something of ours. */
const MOVED_PROGRAMS_PATH = '/run/longhaul/programs';

export interface BwrapLayout {
  /** Real path of the workspace. */
  workspace: string;
  /** Private folders of the sandbox, which live as long as it does. */
  tmp: string;
  home: string;
  programFolders: readonly string[];
  network: 'on' | 'off';
}

/** Below these, nothing of the host is put, and no folder of programs is mounted. */
const OWN_PATHS = ['/proc', '/dev', '/tmp', '/run', HOME_PATH, WORKSPACE_PATH];

const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/**
 * What programs need of /etc, and nothing that is secret: no shadow, no keys, no machine's or user's configuration that may hold
 * passwords.
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

/** Files of /proc that the host's root may write, or should not read, whatever its capabilities. */
const PROC_READ_ONLY = ['/proc/sys', '/proc/acpi', '/proc/scsi', '/proc/mtrr'];
const PROC_HIDDEN = ['/proc/sysrq-trigger', '/proc/kcore', '/proc/kmsg', '/proc/keys', '/proc/timer_list'];

/**
 * The arguments of bwrap up to the command. Later mounts cover earlier ones, so the workspace comes last: nothing stands in
 * it that is not its own. `docs/sandbox.md` explains each.
 */
export function bwrapArguments(layout: BwrapLayout): string[] {
  return [
    '--unshare-all',
    ...(layout.network === 'on' ? ['--share-net'] : []),
    '--die-with-parent',
    '--new-session',
    ...['--hostname', 'longhaul'],
    // As root inside, a capability would suffice to make the read-only mounts writable again.
    ...['--cap-drop', 'ALL'],
    ...SYSTEM_FOLDERS.flatMap(mountSystemFolder),
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
  ];
}

/** PATH of commands: folders of programs first. */
export function bwrapPath(layout: BwrapLayout): string {
  const system = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  return [...placeProgramFolders(layout).map(({ to }) => to), ...system].join(':');
}

interface PlacedFolder {
  /** Absent: it is there already. */
  from?: string;
  to: string;
}

/**
 * Where each folder of programs stands inside. Left out are those that are not there, and those above a folder of ours, such as
 * `/`: they would show far more of the host than programs.
 */
function placeProgramFolders({ programFolders, workspace }: BwrapLayout): PlacedFolder[] {
  const own = [...OWN_PATHS, ...SYSTEM_FOLDERS];
  return programFolders
    .filter((folder) => folder.startsWith('/') && existsSync(folder))
    .map((folder) => ({ folder, from: realpathSync(folder) }))
    .filter(({ from }) => from !== '/' && !OWN_PATHS.some((path) => isBelow(path, from)))
    .map(({ folder, from }, index) => {
      if (isBelow(from, workspace)) return { to: WORKSPACE_PATH + from.slice(workspace.length) };
      if (SYSTEM_FOLDERS.some((system) => isBelow(from, system))) return { to: from };
      const isTaken = own.some((path) => isBelow(folder, path));
      return { from, to: isTaken ? `${MOVED_PROGRAMS_PATH}/${index}/bin` : folder };
    });
}

/** In a Node outside the system folders, npm in `bin` is a link to `../lib/node_modules`. */
function mountProgramFolder({ from, to }: PlacedFolder): string[] {
  if (from === undefined) return [];
  const modules = '../lib/node_modules';
  const hasModules = basename(from) === 'bin' && existsSync(join(from, modules));
  return [
    ...['--ro-bind', from, to],
    ...(hasModules ? ['--ro-bind', join(from, modules), join(to, modules)] : []),
  ];
}

function mountSystemFolder(path: string): string[] {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info === undefined) return [];
  return info.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** A file that is a link, such as a resolv.conf in /run, is mounted as what it leads to. */
function mountReadOnly(path: string): string[] {
  return existsSync(path) ? ['--ro-bind', realpathSync(path), path] : [];
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
