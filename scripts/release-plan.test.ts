import { describe, expect, it } from 'vitest';
import { inPublishOrder, type Manifest, nextVersion, releaseChangelog, withVersion } from './release-plan.ts';

describe('the next version', () => {
  it.each([
    ['0.1.0', 'patch', '0.1.1'],
    ['0.1.0', 'minor', '0.2.0'],
    ['0.9.9', 'major', '1.0.0'],
    ['1.0.0-rc.1', 'patch', '1.0.0'],
    ['1.0.0-rc.9', '1.0.0-rc.10', '1.0.0-rc.10'],
    ['1.0.0-rc.9', '1.0.0', '1.0.0'],
  ])('of %s by %s is %s', (current, wanted, version) => {
    expect(nextVersion(current, wanted)).toBe(version);
  });

  it.each([
    ['0.1.0', '0.1.0', /not newer/],
    ['1.0.0', '1.0.0-rc.1', /not newer/],
    ['1.10.0', '1.9.0', /not newer/],
    ['0.1.0', 'huge', /not huge/],
    ['0.1.0', 'v0.2.0', /not v0\.2\.0/],
    ['0.1.0', '', /such as 1\.2\.3/],
  ])('of %s is not %j', (current, wanted, says) => {
    expect(() => nextVersion(current, wanted)).toThrow(says);
  });
});

it('sets the version of a package and of its own dependencies, and no other', () => {
  const manifest = {
    name: 'b',
    version: '0.1.0',
    dependencies: { a: '0.1.0', zod: '4.0.0' },
    devDependencies: { c: '0.1.0' },
  };
  expect(withVersion(manifest, '0.2.0', new Set(['a', 'b', 'c']))).toEqual({
    name: 'b',
    version: '0.2.0',
    dependencies: { a: '0.2.0', zod: '4.0.0' },
    devDependencies: { c: '0.2.0' },
  });
});

it('publishes a package after those that it depends on', () => {
  const packages: Manifest[] = [
    { name: 'c', version: '1.0.0', dependencies: { b: '1.0.0' }, devDependencies: { d: '1.0.0' } },
    { name: 'b', version: '1.0.0', peerDependencies: { a: '1.0.0' } },
    { name: 'a', version: '1.0.0', dependencies: { zod: '4.0.0' } },
    { name: 'd', version: '1.0.0', dependencies: { c: '1.0.0' } },
  ];
  expect(inPublishOrder(packages).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
});

describe('the changelog', () => {
  const release = { version: '0.2.0', date: '2026-11-30', repository: 'https://example.org/r' };
  const log = (changes: string, older = '') =>
    `# Changelog\n\n## [Unreleased]\n${changes}${older}\n[Unreleased]: https://example.org/old\n`;

  it('gets a heading for the release, and keeps older ones with their links', () => {
    const older = '\n## [0.1.0] - 2026-01-01\n\n- Old.\n';
    const text = `${log('\n- New.\n', older)}[0.1.0]: https://example.org/r/releases/tag/v0.1.0\n`;
    expect(releaseChangelog(text, release)).toBe(
      `# Changelog

## [Unreleased]

## [0.2.0] - 2026-11-30

- New.

## [0.1.0] - 2026-01-01

- Old.

[Unreleased]: https://example.org/r/compare/v0.2.0...HEAD
[0.2.0]: https://example.org/r/releases/tag/v0.2.0
[0.1.0]: https://example.org/r/releases/tag/v0.1.0
`,
    );
  });

  it.each([
    ['no changes', log(''), /nothing to release/],
    [
      'no changes since the last release',
      log('', '\n## [0.1.0] - 2026-01-01\n\n- Old.\n'),
      /nothing to release/,
    ],
    ['no heading', '# Changelog\n', /one heading/],
    ['no link', '# Changelog\n\n## [Unreleased]\n\n- New.\n', /one link/],
  ])('is refused with %s', (_, text, says) => {
    expect(() => releaseChangelog(text, release)).toThrow(says);
  });
});
