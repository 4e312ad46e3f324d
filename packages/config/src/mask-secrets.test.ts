import { describe, expect, it } from 'vitest';
import { maskAddress } from './mask-secrets.ts';
import { url } from './schema/values.ts';

describe('an address that imitates another host', () => {
  it.each([
    ['https://evil.example#@api.openai.com/v1', 'https://evil.example/#@api.openai.com/v1'],
    ['https://evil.example?@api.openai.com/v1', 'https://evil.example/?@api.openai.com/v1'],
    ['https://evil.example\\@api.openai.com/v1', 'https://evil.example/@api.openai.com/v1'],
    ['https:\\\\evil.example/@api.openai.com', 'https://evil.example/@api.openai.com'],
  ])('%s is shown with the host that is called, and refused', (address, shown) => {
    expect(maskAddress(address)).toBe(shown);
    expect(new URL(shown).host).toBe(new URL(address).host);
    expect(url.safeParse(address).success).toBe(false);
  });

  it('is shown in ASCII if its letters look like those of another', () => {
    expect(maskAddress('https://аpi.openai.com/v1')).toMatch(/^https:\/\/xn--[\w-]+\.openai\.com\/v1$/);
  });
});

it.each([
  ['postgres://me:secret@host/db?schema=a', 'postgres://********@host/db?schema=a'],
  ['postgresql://me:se/cr@et#secret@host/db', 'postgresql://********@host/db'],
  ['postgres://host/db?password=secret&x=1', 'postgres://host/db?password=********&x=1'],
  ['postgres://host/db', 'postgres://host/db'],
])('masks the password in %s', (address, shown) => {
  expect(maskAddress(address)).toBe(shown);
});

it('masks a user name and password, and leaves other addresses and texts unchanged', () => {
  expect(maskAddress('https://me:pass@host.example/v1')).toBe('https://********@host.example/v1');
  for (const text of ['http://127.0.0.1:9/v1', 'https://host.example', 'openai/gpt', 'not an address']) {
    expect(maskAddress(text)).toBe(text);
  }
  expect(url.safeParse('https://host.example/v1?api-version=1').success).toBe(true);
});
