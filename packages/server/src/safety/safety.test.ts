import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLoopback } from '@longhaul/models';
import { createBearerCheck, createHostCheck, loadToken, RateLimiter } from '@longhaul/models/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretMask } from './secret-mask.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-safety-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the token file', () => {
  it('is created once, readable by its owner only, even if servers start together', async () => {
    const path = join(folder, 'new', 'token');
    const loaded = await Promise.all(Array.from({ length: 8 }, () => loadToken(path)));
    expect(new Set(loaded.map(({ token }) => token)).size).toBe(1);
    expect(loaded.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700);
    expect((await readFile(path, 'utf8')).trim()).toMatch(/^[\w-]{43}$/);
    expect(await loadToken(path)).toEqual({ token: loaded[0]?.token, isNew: false });
  });

  it('gets a new token if others could read the file', async () => {
    const path = join(folder, 'shared');
    const { token } = await loadToken(path);
    await chmod(path, 0o644);
    const renewed = await loadToken(path);
    expect(renewed.token).not.toBe(token);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await loadToken(path)).token).toBe(renewed.token);
  });

  it('is reported and left unchanged if it contains something else', async () => {
    const path = join(folder, 'other');
    await writeFile(path, 'hunter2', { mode: 0o600 });
    await expect(loadToken(path)).rejects.toMatchObject({ code: 'file_unreadable' });
    expect(await readFile(path, 'utf8')).toBe('hunter2');
    await expect(loadToken(join(path, 'below'))).rejects.toMatchObject({ code: 'file_unreadable' });
  });
});

describe('access control', () => {
  it.each([
    ['127.0.0.1:4140', true],
    ['[::1]:4140', true],
    ['LOCALHOST', true],
    ['app.localhost:3000', true],
    ['192.168.1.7:80', true],
    ['app.example:443', true],
    ['evil.example', false],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example', false],
    ['evil.example@localhost', false],
    ['localhost:80:80', false],
    ['', false],
    [undefined, false],
  ])('allows the host %s: %s', (host, isOurs) => {
    expect(createHostCheck(['App.Example'])(host)).toBe(isOurs);
  });

  it.each([
    ['127.0.0.1', true],
    ['127.1.2.3', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['127.0.0.1.example', false],
    ['::', false],
  ])('detects that %s is loopback: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });

  it('accepts only the whole token after Bearer', () => {
    const check = createBearerCheck('the-token');
    const given = [
      'Bearer the-token',
      'bearer  the-token',
      'Bearer the-toke',
      'Bearer',
      'Basic the-token',
      'the-token',
      undefined,
    ];
    expect(given.map(check)).toEqual([true, true, false, false, false, false, false]);
  });

  it('allows a burst, then the refilled tokens, for each address separately, and forgets the oldest address', () => {
    let now = 0;
    const limiter = new RateLimiter({ perSecond: 2, burst: 3 }, () => now);
    expect(Array.from({ length: 5 }, () => limiter.take('a'))).toEqual([
      undefined,
      undefined,
      undefined,
      1,
      1,
    ]);
    expect(limiter.take('b')).toBeUndefined();
    now += 500;
    expect([limiter.take('a'), limiter.take('a')]).toEqual([undefined, 1]);
    for (let address = 0; address < 10_000; address += 1) limiter.take(`address ${address}`);
    expect(limiter.take('a')).toBeUndefined();
  });
});

describe('known secrets', () => {
  it('are replaced by asterisks of the same length in text and JSON, except short ones', () => {
    const mask = createSecretMask(['abcdefgh', 'abcdefgh-and-more', 'short', '']);
    expect(mask('{"x":"abcdefgh-and-more abcdefgh short"}')).toBe(
      `{"x":"${'*'.repeat(17)} ${'*'.repeat(8)} short"}`,
    );
    const odd = createSecretMask(['pass"word\\1']);
    expect(odd(`pass"word\\1 ${JSON.stringify({ x: 'pass"word\\1' })}`)).toBe(
      `${'*'.repeat(11)} {"x":"${'*'.repeat(11)}"}`,
    );
  });
});
