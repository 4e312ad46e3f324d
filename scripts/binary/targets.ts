/** A system that a single file is built for. */
export interface BinaryTarget {
  /** As in the name of the file: `longhaul-linux-x64`. */
  name: string;
  /** Bun's name of the target. */
  bun: string;
  /** The npm package with Bun's program for it. */
  package: string;
}

export const TARGETS: readonly BinaryTarget[] = [
  { name: 'linux-x64', bun: 'bun-linux-x64', package: '@oven/bun-linux-x64' },
  { name: 'linux-x64-musl', bun: 'bun-linux-x64-musl', package: '@oven/bun-linux-x64-musl' },
  { name: 'linux-arm64', bun: 'bun-linux-arm64', package: '@oven/bun-linux-aarch64' },
  { name: 'linux-arm64-musl', bun: 'bun-linux-arm64-musl', package: '@oven/bun-linux-aarch64-musl' },
  { name: 'macos-x64', bun: 'bun-darwin-x64', package: '@oven/bun-darwin-x64' },
  { name: 'macos-arm64', bun: 'bun-darwin-arm64', package: '@oven/bun-darwin-aarch64' },
  { name: 'windows-x64', bun: 'bun-windows-x64', package: '@oven/bun-windows-x64' },
];

const isWindows = ({ name }: BinaryTarget) => name.startsWith('windows');

/** Returns the name of the built file. */
export function binaryName(target: BinaryTarget): string {
  return `longhaul-${target.name}${isWindows(target) ? '.exe' : ''}`;
}

/** Returns the path of Bun's program in its package. */
export function programIn(target: BinaryTarget): string {
  return isWindows(target) ? 'bin/bun.exe' : 'bin/bun';
}

/**
 * Returns the chosen targets, or all of them.
 *
 * @throws {Error} for a name that is none.
 */
export function chosenTargets(names: readonly string[] | undefined): BinaryTarget[] {
  if (names === undefined) return [...TARGETS];
  return names.map((name) => {
    const target = TARGETS.find((each) => each.name === name);
    if (target !== undefined) return target;
    throw new Error(
      `There is no target "${name}". The targets are ${TARGETS.map((each) => each.name).join(', ')}.`,
    );
  });
}

/** Returns the name of the target that this machine runs. Its libc is that of this Node.js. */
export function hostTarget({ platform, arch, isMusl }: Host = thisHost()): string {
  const systems: Partial<Record<NodeJS.Platform, string>> = { darwin: 'macos', win32: 'windows' };
  return `${systems[platform] ?? platform}-${arch}${isMusl ? '-musl' : ''}`;
}

export interface Host {
  platform: NodeJS.Platform;
  arch: string;
  isMusl: boolean;
}

function thisHost(): Host {
  const { platform, arch } = process;
  return { platform, arch, isMusl: platform === 'linux' && glibcVersion() === undefined };
}

/** Undefined with another libc. The loader of musl says nothing: it can be installed beside glibc. */
function glibcVersion(): unknown {
  const report: unknown = process.report.getReport();
  if (typeof report !== 'object' || report === null || !('header' in report)) return undefined;
  const { header } = report;
  if (typeof header !== 'object' || header === null || !('glibcVersionRuntime' in header)) return undefined;
  return header.glibcVersionRuntime;
}
