import { describe, expect, it } from 'vitest';
import { isGitRef, parseGitAddress } from './git-address.ts';

describe('addresses of git repositories', () => {
  it.each([
    ['https://github.com/a/b.git', { protocol: 'https', host: 'github.com' }],
    ['https://GitHub.com:8443/a', { protocol: 'https', host: 'github.com' }],
    ['http://localhost:3000/a.git', { protocol: 'http', host: 'localhost' }],
    ['ssh://git@example.org:22/a/b', { protocol: 'ssh', host: 'example.org' }],
    ['git@example.org:a/b.git', { protocol: 'ssh', host: 'example.org' }],
    ['/srv/git/a.git', { protocol: 'file', host: '' }],
    ['file:///srv/git/a.git', { protocol: 'file', host: '' }],
  ])('reads %s', (url, address) => {
    expect(parseGitAddress(url)).toEqual(address);
  });

  it.each([
    '--upload-pack=touch /tmp/x',
    '-oProxyCommand=x',
    'ext::sh -c touch% /tmp/x',
    'ext::sh',
    'fd::3',
    'git://example.org/a',
    'https://user:secret@example.org/a',
    'https://token@example.org/a',
    'https://example.org/a?token=secret',
    'https://example.org/a#b',
    'https://example.org/',
    'ssh://-oProxyCommand=x/a',
    'ssh://git:secret@example.org/a',
    'git@-oProxyCommand=x:a',
    'git@example.org:-a',
    'https://example.org\\@evil.org/a',
    'https:///a',
    'https://example.org/a\nb',
    'https://example.org/a b',
    'file://evil.org/a',
    'C:\\a',
    'a/b',
    '',
  ])('refuses %j', (url) => {
    expect(parseGitAddress(url)).toBeUndefined();
  });
});

describe('names of branches, tags and commits', () => {
  it.each([
    'main',
    'feature/a-b',
    'v1.0.0',
    '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    'überarbeitung',
    'a#1',
  ])('accept %s', (ref) => {
    expect(isGitRef(ref)).toBe(true);
  });

  it.each([
    '',
    '-b',
    '--upload-pack=x',
    'a..b',
    'a:b',
    '+a',
    'a b',
    'a~1',
    'a^',
    'a\n',
    '@{u}',
    'a@{1}',
    '../a',
    'a/.b',
    'a.lock',
    'a/',
    '*',
  ])('refuse %j', (ref) => {
    expect(isGitRef(ref)).toBe(false);
  });
});
