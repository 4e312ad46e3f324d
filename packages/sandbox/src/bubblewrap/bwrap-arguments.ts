import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';

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
    ...placeProgramFolders(layout).flatMap(({ from, to }) =>
      from === undefined ? [] : ['--ro-bind', from, to],
    ),
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

/** Where each folder of programs stands inside. Ones that are not there are left out. */
function placeProgramFolders({ programFolders, workspace }: BwrapLayout): PlacedFolder[] {
  const folders = programFolders.filter((folder) => folder.startsWith('/') && existsSync(folder));
  return folders.map((folder, index) => {
    const from = realpathSync(folder);
    if (isBelow(from, workspace)) return { to: WORKSPACE_PATH + from.slice(workspace.length) };
    if (SYSTEM_FOLDERS.some((system) => isBelow(from, system))) return { to: from };
    // A folder above one of ours would show more of the host than programs, or be covered.
    const isTaken = [...OWN_PATHS, ...SYSTEM_FOLDERS].some(
      (own) => isBelow(folder, own) || isBelow(own, folder),
    );
    return { from, to: isTaken ? `${MOVED_PROGRAMS_PATH}/${index}` : folder };
  });
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
