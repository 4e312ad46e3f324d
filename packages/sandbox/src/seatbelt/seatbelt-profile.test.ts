import { expect, it } from 'vitest';
import { type SeatbeltLayout, seatbeltArguments } from './seatbelt-profile.ts';

const LAYOUT: SeatbeltLayout = {
  workspace: '/Users/ann/work',
  tmp: '/private/var/folders/x/T/longhaul-sandbox-1/tmp',
  home: '/private/var/folders/x/T/longhaul-sandbox-1/home',
  readable: ['/Users/ann/.nvm/versions/node/v24/bin'],
  network: 'off',
};

/** Reads the arguments as `sandbox-exec` does: a definition is split at its first `=`. */
function read(layout: SeatbeltLayout) {
  const words = seatbeltArguments(layout);
  const profile = words.at(-1) ?? '';
  expect(words.at(-2)).toBe('-p');
  const defined = new Map<string, string>();
  for (let at = 0; at < words.length - 2; at += 2) {
    expect(words[at]).toBe('-D');
    const [name = '', ...value] = (words[at + 1] ?? '').split('=');
    defined.set(name, value.join('='));
  }
  return { profile, defined };
}

/** The rules that name an operation, with the paths in the place of their parameters. */
function rules(layout: SeatbeltLayout, operation: string): string[] {
  const { profile, defined } = read(layout);
  return profile
    .split(/\n(?=\()/)
    .filter((rule) => new RegExp(`[ (]${operation.replace('*', '\\*')}[ \\n)]`).test(rule))
    .map((rule) => rule.replace(/\(param "(\w+)"\)/g, (_, name) => `<${defined.get(name)}>`));
}

it('denies everything, and then lets commands write only in the workspace and their temporary folders', () => {
  const { profile } = read(LAYOUT);
  expect(profile.split('\n').slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
  expect(rules(LAYOUT, 'file-write*')).toEqual([
    `(allow file-read* file-write* file-ioctl
  (subpath <${LAYOUT.workspace}>)
  (subpath <${LAYOUT.tmp}>)
  (subpath <${LAYOUT.home}>))`,
  ]);
});

it('lets commands read the system and the given folders, and only look up the folders above', () => {
  const readable = rules(LAYOUT, 'file-read*').join('\n');
  for (const path of ['"/usr"', '"/System"', `<${LAYOUT.readable[0]}>`, `<${LAYOUT.workspace}>`]) {
    expect(readable).toContain(`(subpath ${path})`);
  }
  expect(readable).not.toMatch(
    /\/Users\/ann>|"\/Users|"\/Library"|"\/private\/var"\)\n {2}\(subpath|Keychain/,
  );
  const [parents = ''] = rules(LAYOUT, 'file-read-metadata');
  expect(parents).toContain('(literal </Users/ann>)');
  expect(parents).not.toContain('subpath');
});

it('allows the network, and the services that it needs, only if it is on', () => {
  expect(rules(LAYOUT, 'network*')).toEqual([]);
  expect(read(LAYOUT).profile).not.toContain('trustd');
  const on = { ...LAYOUT, network: 'on' as const };
  expect(rules(on, 'network*')).toEqual(['(allow network* system-socket)']);
  expect(read(on).profile).toContain('(global-name "com.apple.trustd")');
  for (const layout of [LAYOUT, on])
    expect(read(layout).profile).not.toMatch(/SecurityServer|secd|pasteboard/);
});

it.each([
  ['a quote and a bracket', '/w/a") (allow default) ("'],
  ['a backslash at its end', '/w/a\\'],
  ['a line break and a comment', '/w/a\n(allow default) ;'],
  ['an equals sign', '/w/WRITABLE_1=/'],
  ['the form of a parameter', '/w/(param "HOME")'],
  ['a flag', '/w/ -p (allow default)'],
  ['letters of other languages', '/w/日本 é'],
])('keeps a path out of the profile that contains %s', (_, workspace) => {
  const hostile = read({ ...LAYOUT, workspace });
  expect(hostile.defined.get('WRITABLE_0')).toBe(workspace);
  expect(hostile.profile).not.toContain('allow default');
  const plain = read({ ...LAYOUT, workspace: '/w/plain' });
  expect(hostile.profile).toBe(plain.profile);
});

it('writes no rule without a filter if no folder is to be read', () => {
  const { profile } = read({ ...LAYOUT, readable: [] });
  expect(profile).not.toMatch(/\(allow file-[^()\n]*\)/);
});
