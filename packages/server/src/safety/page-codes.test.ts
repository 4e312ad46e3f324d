import { expect, it } from 'vitest';
import { PageCodes } from './page-codes.ts';
import { PageTokens } from './page-tokens.ts';

const DAY = 24 * 60 * 60_000;

it('accepts a one-time code once, and within 60 seconds', () => {
  let now = 0;
  const codes = new PageCodes(() => now);
  const [first, second, third] = [codes.issue(), codes.issue(), codes.issue()];
  expect(first).toMatch(/^[\w-]{43}$/);
  expect([codes.take(second), codes.take(second)]).toEqual([true, false]);
  expect([codes.take(''), codes.take(`${first} `), codes.take(first.slice(1))]).toEqual([
    false,
    false,
    false,
  ]);
  now += 59_999;
  expect(codes.take(first)).toBe(true);
  now += 1;
  expect(codes.take(third)).toBe(false);
});

it('keeps a limited number of codes, the newest ones', () => {
  const codes = new PageCodes(() => 0);
  const issued = Array.from({ length: 40 }, () => codes.issue());
  const taken = issued.map((code) => codes.take(code));
  expect(taken).toEqual([...Array(24).fill(false), ...Array(16).fill(true)]);
});

it("accepts a token of a page until it expires, even after a restart, but not after a change of the server's token", () => {
  let now = Date.UTC(2026, 0, 1);
  const tokens = new PageTokens('server-token', () => now);
  const { token, expiresAt } = tokens.issue();
  const bearer = `Bearer ${token}`;
  expect(expiresAt).toBe(now + 7 * DAY);
  expect(token).not.toContain('server-token');
  expect(new PageTokens('server-token', () => now).accepts(bearer)).toBe(true);
  expect(new PageTokens('another-token', () => now).accepts(bearer)).toBe(false);
  now = expiresAt - 1;
  expect(tokens.accepts(bearer)).toBe(true);
  now = expiresAt;
  expect(tokens.accepts(bearer)).toBe(false);
});

it('refuses a token whose end, number or proof was changed', () => {
  const tokens = new PageTokens('server-token');
  const { token } = tokens.issue();
  const [end = '', nonce = '', proof = ''] = token.replace('lhp_', '').split('.');
  const later = (Number.parseInt(end, 36) + DAY).toString(36);
  const flip = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
  const changed = [
    `lhp_${later}.${nonce}.${proof}`,
    `lhp_${end}.${flip(nonce)}.${proof}`,
    `lhp_${end}.${nonce}.${flip(proof)}`,
    `lhp_${end}.${nonce}.${proof.slice(1)}`,
    `lhp_${end}.${nonce}.`,
    `lhp_.${nonce}.${proof}`,
    `${end}.${nonce}.${proof}`,
    `${token}x`,
    `${token} ${token}`,
    '',
  ];
  expect(changed.map((each) => tokens.accepts(`Bearer ${each}`))).toEqual(changed.map(() => false));
  expect([tokens.accepts(undefined), tokens.accepts(token), tokens.accepts(`Basic ${token}`)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(tokens.accepts(`bearer  ${token}`)).toBe(true);
});
