import { countSteps } from '@longhaul/testing/steps';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { createPathMatcher } from './path-matcher.ts';

/** Ordinary globs, on which the matcher agrees with a well-known one. */
const segment = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('**', '*', 'a', 'b', 'src', '.env', '*.ts', 'a*', '*b') },
  fc.constantFrom(
    '?',
    'a?',
    '[ab]',
    '[a-c]x',
    '[^a]b',
    '{a,b}',
    '*.{ts,js}',
    '@(a|b)',
    '+(a|b)',
    'x*(ab)',
    'x?(a)',
  ),
  fc.constantFrom('{a,b}*', 'a.b', '\\*', 'a+b', '{src,{a,b}}', '{a..c}', 'a{b}'),
);
const ordinaryGlob = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('/'))
  // Here `*/**` matches a folder itself, as `a/**` does. In picomatch, only `a/**` does.
  .filter((glob) => !/[*?\])}]\/\*\*$/.test(glob))
  // In picomatch, the dot of `a.b/{a..c}` stands for any character, because the glob has a range.
  .filter((glob) => !(glob.includes('{a..c}') && glob.replaceAll('{a..c}', '').includes('.')));
const name = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'ab',
    'src',
    '.env',
    'x.ts',
    'a.ts',
    'b.js',
    'cx',
    'cb',
    'aab',
    'xa',
    'a+b',
    '*',
    'a.b',
    'a{b}',
  ),
  fc.stringMatching(/^[abx.]{1,4}$/).filter((text) => !/^\.+$/.test(text)),
);
const ordinaryPath = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

/** Globs that make other matchers take exponential time. */
const hostileGlob = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '*',
        '**',
        '**/',
        '*a',
        '?',
        'a',
        '/',
        '[a-z]',
        '[!b]',
        '{a,aa}',
        '{a,',
        '}',
        '[',
        '\\',
      ),
      fc.constantFrom(
        '+(a|aa)',
        '*(a|*)',
        '+(',
        '*(',
        '@(',
        '|',
        ')',
        '*(*(*(a)))',
        '+(+(a)+(a))',
        '?(a)?(a)',
      ),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(''));
const hostilePath = fc
  .tuple(fc.constantFrom('a', 'ab', 'a/', 'aa/a'), fc.nat(120), fc.constantFrom('', 'b', '!', '/b'))
  .map(([piece, count, end]) => piece.repeat(count) + end);

const agreed = (glob: string) =>
  picomatch(glob, { dot: true, nonegate: true, basename: !glob.includes('/') });

describe('createPathMatcher', () => {
  it('matches what picomatch matches, for ordinary globs', () => {
    fc.assert(
      fc.property(ordinaryGlob, ordinaryPath, (glob, path) => {
        expect(createPathMatcher(glob)(path)).toBe(agreed(glob)(path));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each<[glob: string, matching: string[], others: string[]]>([
    ['*.ts', ['a.ts', 'src/a.ts', '.ts'], ['a.tsx', 'a.ts/b']],
    ['src/**', ['src', 'src/a', 'src/a/.b'], ['srcs/a', 'a/src/b']],
    ['**/deep/*.{ts,js}', ['deep/a.ts', 'a/b/deep/c.js'], ['deep/a.css', 'deep/x/a.ts', 'adeep/a.ts']],
    ['[!a]*', ['b', 'x/b'], ['a', 'b/a']],
    ['app/(group)/[id]', ['app/(group)/i'], ['app/group/i']],
    ['[]a]', [']', 'a'], ['[', 'b']],
    ['[a', ['[a'], ['a']],
    ['{a,b', ['{a,b'], ['a']],
    ['\\[id\\]', ['[id]'], ['i']],
    ['./a/*', ['a/b'], ['b/a/b']],
  ])('matches %s', (glob, matching, others) => {
    const matches = createPathMatcher(glob);
    for (const path of matching) expect([path, matches(path)]).toEqual([path, true]);
    for (const path of others) expect([path, matches(path)]).toEqual([path, false]);
  });

  it('refuses a negated group and an overlong glob, with what to do', () => {
    expect(() => createPathMatcher('!(a).ts')).toThrow(/cannot contain `!\(…\)`\. Use/);
    expect(() => createPathMatcher('a'.repeat(2_000))).toThrow(/2000 characters; at most 1024/);
  });

  it('takes steps in proportion to the lengths of glob and path, for hostile globs and paths', async () => {
    await fc.assert(
      fc.asyncProperty(hostileGlob, hostilePath, async (glob, path) => {
        const steps = await countSteps(() => createPathMatcher(glob)(path));
        expect(steps).toBeLessThan(200 * (glob.length + 1) * (path.length + 1) + 1_000);
      }),
      { numRuns: 150 },
    );
  });

  it.each([18, 180])('answers %i stars on a long name within the bound', async (stars) => {
    const glob = `${'*a'.repeat(stars)}b`;
    const name = 'a'.repeat(250);
    const steps = await countSteps(() => expect(createPathMatcher(glob)(name)).toBe(false));
    expect(steps).toBeLessThan(50 * glob.length * name.length);
  });
});
