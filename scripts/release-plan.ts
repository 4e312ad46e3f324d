/** What a release changes in the repository. Pure functions, so that a dry run shows exactly what a release does. */

export const BUMPS = ['major', 'minor', 'patch'] as const;

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/;

/**
 * Returns the version of the next release: `wanted` itself, or the current one with its major, minor or patch number
 * raised. A pre-release such as 1.0.0-rc.1 becomes 1.0.0 by `patch`.
 *
 * @throws {Error} if `wanted` is neither, or is not newer than the current version.
 */
export function nextVersion(current: string, wanted: string): string {
  const [, major = '', minor = '', patch = '', pre] = VERSION.exec(current) ?? [];
  const next: Record<string, string> = {
    major: `${Number(major) + 1}.0.0`,
    minor: `${major}.${Number(minor) + 1}.0`,
    patch: pre === undefined ? `${major}.${minor}.${Number(patch) + 1}` : `${major}.${minor}.${patch}`,
  };
  const version = next[wanted] ?? wanted;
  if (!VERSION.test(version))
    throw new Error(`A release is ${BUMPS.join(', ')}, or a version such as 1.2.3, not ${wanted}.`);
  if (compareVersions(version, current) <= 0)
    throw new Error(`${version} is not newer than the current version, ${current}.`);
  return version;
}

/** Below 0 if `left` is older. A pre-release is older than its release. Pre-releases compare as text and numbers. */
function compareVersions(left: string, right: string): number {
  const [one, other] = [left, right].map((version) => VERSION.exec(version) ?? []);
  for (const index of [1, 2, 3]) {
    const difference = Number(one?.[index]) - Number(other?.[index]);
    if (difference !== 0) return difference;
  }
  const [pre, otherPre] = [one?.[4], other?.[4]];
  if (pre === undefined || otherPre === undefined)
    return Number(pre === undefined) - Number(otherPre === undefined);
  return pre.localeCompare(otherPre, 'en', { numeric: true });
}

export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** Returns the manifest with the version of the release, also for the packages of this repository that it depends on. */
export function withVersion(manifest: Manifest, version: string, own: ReadonlySet<string>): Manifest {
  const released = { ...manifest, version };
  for (const kind of [
    'dependencies',
    'devDependencies',
    'peerDependencies',
    'optionalDependencies',
  ] as const) {
    const names = manifest[kind];
    if (names === undefined) continue;
    const entries = Object.entries(names).map(([name, range]) => [name, own.has(name) ? version : range]);
    released[kind] = Object.fromEntries(entries);
  }
  return released;
}

/** Orders packages so that each follows those of this repository that it depends on: nobody installs half a release. */
export function inPublishOrder(manifests: readonly Manifest[]): Manifest[] {
  const byName = new Map(manifests.map((manifest) => [manifest.name, manifest]));
  const ordered = new Set<Manifest>();
  const add = (manifest: Manifest) => {
    if (ordered.has(manifest)) return;
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
      const needed = byName.get(name);
      if (needed !== undefined) add(needed);
    }
    ordered.add(manifest);
  };
  for (const manifest of manifests) add(manifest);
  return [...ordered];
}

const UNRELEASED = '## [Unreleased]';

/**
 * Returns the changelog with the unreleased changes under the version of the release, and the links for both.
 *
 * @throws {Error} if there are no unreleased changes, or the changelog has another form.
 */
export function releaseChangelog(
  changelog: string,
  { version, date, repository }: { version: string; date: string; repository: string },
): string {
  const [before, rest, more] = changelog.split(`${UNRELEASED}\n`);
  const link = /\n\[Unreleased\]: .*\n?/;
  if (before === undefined || rest === undefined || more !== undefined || !link.test(rest))
    throw new Error(`CHANGELOG.md must have one heading ${UNRELEASED} and one link [Unreleased].`);
  const [changes = ''] = rest.split(/^## \[|^\[Unreleased\]/m);
  if (changes.trim() === '')
    throw new Error(`CHANGELOG.md has no changes below ${UNRELEASED}: there is nothing to release.`);
  const links = [
    `[Unreleased]: ${repository}/compare/v${version}...HEAD`,
    `[${version}]: ${repository}/releases/tag/v${version}`,
  ];
  const linked = rest.replace(link, `\n${links.join('\n')}\n`);
  return `${before}${UNRELEASED}\n\n## [${version}] - ${date}\n${linked}`;
}
