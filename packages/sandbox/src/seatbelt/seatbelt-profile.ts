import { dirname } from 'node:path';

/** The folders of one sandbox, with links resolved. */
export interface SeatbeltLayout {
  workspace: string;
  tmp: string;
  home: string;
  /** Folders outside the workspace whose files commands may read. */
  readable: readonly string[];
  network: 'on' | 'off';
}

/** What programs of macOS and of its package managers read. */
const SYSTEM = [
  '/Applications/Xcode.app',
  '/Library/Apple',
  '/Library/Developer',
  '/Library/Java',
  '/System',
  '/bin',
  '/opt/homebrew',
  '/opt/local',
  '/private/etc',
  '/private/var/db/dyld',
  '/private/var/db/timezone',
  '/private/var/select',
  '/sbin',
  '/usr',
];

/** Links of the system, and `/`, which the loader lists. */
const SYSTEM_ENTRIES = ['/', '/etc', '/tmp', '/var', '/private', '/private/tmp', '/private/var'];

const DEVICES = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/tty', '/dev/dtracehelper'];

/** Services without which common programs fail. The keychain and the pasteboard are not among them. */
const SERVICES = [
  'com.apple.bsd.dirhelper',
  'com.apple.logd',
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
];

/** Names, proxies and certificates. */
const NETWORK_SERVICES = [
  'com.apple.SystemConfiguration.configd',
  'com.apple.SystemConfiguration.DNSConfiguration',
  'com.apple.networkd',
  'com.apple.trustd',
  'com.apple.trustd.agent',
];

/**
 * Returns the arguments of `sandbox-exec`, without a command: a profile that denies everything that it does not name.
 * Paths are parameters, so no path is part of the profile's text.
 */
export function seatbeltArguments(layout: SeatbeltLayout): string[] {
  const writable = parameters('WRITABLE', [layout.workspace, layout.tmp, layout.home]);
  const readable = parameters('READABLE', layout.readable);
  const parents = parameters('PARENT', parentsOf([...writable.values, ...readable.values]));
  const profile = [
    '(version 1)',
    '(deny default)',
    '(allow process-fork process-exec)',
    '(allow signal process-info* (target same-sandbox))',
    '(allow sysctl-read pseudo-tty ipc-posix-sem ipc-posix-shm*)',
    rule('mach-lookup', names('global-name', SERVICES)),
    rule('file-read* file-ioctl file-write-data', [...names('literal', DEVICES), '(subpath "/dev/fd")']),
    rule('file-read*', [...names('subpath', SYSTEM), ...names('literal', SYSTEM_ENTRIES)]),
    rule('file-read*', references('subpath', readable)),
    rule('file-read-metadata', references('literal', parents)),
    rule('file-read* file-write* file-ioctl', references('subpath', writable)),
    ...(layout.network === 'on' ? networkRules() : []),
  ].filter((line) => line !== '');
  const defined = [writable, readable, parents].flatMap(({ prefix, values }) =>
    values.flatMap((value, index) => ['-D', `${prefix}_${index}=${value}`]),
  );
  return [...defined, '-p', profile.join('\n')];
}

function networkRules(): string[] {
  return ['(allow network* system-socket)', rule('mach-lookup', names('global-name', NETWORK_SERVICES))];
}

interface Parameters {
  prefix: string;
  values: readonly string[];
}

function parameters(prefix: string, values: readonly string[]): Parameters {
  return { prefix, values };
}

/** The folders above these ones: a program looks them up when it resolves a path, and may not list them. */
function parentsOf(paths: readonly string[]): string[] {
  const parents = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
      parents.add(folder);
  }
  return [...parents].sort();
}

/** Returns nothing without a filter: a rule without one would allow the operation everywhere. */
function rule(operations: string, filters: readonly string[]): string {
  return filters.length === 0 ? '' : `(allow ${operations}\n  ${filters.join('\n  ')})`;
}

/** For names in this file, which need no quoting. */
function names(filter: string, values: readonly string[]): string[] {
  return values.map((value) => `(${filter} "${value}")`);
}

function references(filter: string, { prefix, values }: Parameters): string[] {
  return values.map((_, index) => `(${filter} (param "${prefix}_${index}"))`);
}
