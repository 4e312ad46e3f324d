import { expect, it } from 'vitest';
import { PageCodes } from './page-codes.ts';
import { type PageHolder, PageTokens } from './page-tokens.ts';

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

/** Whether the header has a valid token of a page that signed in with the server's token. */
const isServers = async (tokens: PageTokens, authorization: string | undefined) =>
  (await tokens.holder(authorization, async () => undefined)) === undefined;

it("accepts a token of a page until it expires, even after a restart, but not after a change of the server's token", async () => {
  let now = Date.UTC(2026, 0, 1);
  const tokens = new PageTokens('server-token', () => now);
  const { token, expiresAt } = tokens.issue();
  const bearer = `Bearer ${token}`;
  expect(expiresAt).toBe(now + 7 * DAY);
  expect(token).not.toContain('server-token');
  expect(await isServers(new PageTokens('server-token', () => now), bearer)).toBe(true);
  expect(await isServers(new PageTokens('another-token', () => now), bearer)).toBe(false);
  now = expiresAt - 1;
  expect(await isServers(tokens, bearer)).toBe(true);
  now = expiresAt;
  expect(await isServers(tokens, bearer)).toBe(false);
});

it('accepts the page of a named token only while that token is valid', async () => {
  const tokens = new PageTokens('server-token');
  const ann = { name: 'ann', hash: 'a'.repeat(64) };
  const { token } = tokens.issue(ann);
  const holder = (found: PageHolder) => tokens.holder(`Bearer ${token}`, async () => found);
  expect(await holder(ann)).toBe(ann);
  expect(await holder(undefined)).toBe(null);
  expect(await holder({ ...ann, hash: 'b'.repeat(64) })).toBe(null);
  const bobs = token.replace('.ann.', '.bob.');
  expect(await tokens.holder(`Bearer ${bobs}`, async () => ({ ...ann, name: 'bob' }))).toBe(null);
  expect(await isServers(tokens, `Bearer ${token.replace('.ann.', '.')}`)).toBe(false);
});

it('refuses a token whose end, number or proof was changed', async () => {
  const tokens = new PageTokens('server-token');
  const { token } = tokens.issue();
  const [end = '', nonce = '', proof = ''] = token.replace('lhp_', '').split('.');
  const later = (Number.parseInt(end, 36) + DAY).toString(36);
  const flip = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
  const changed = [
    `Bearer lhp_${later}.${nonce}.${proof}`,
    `Bearer lhp_${end}.${flip(nonce)}.${proof}`,
    `Bearer lhp_${end}.${nonce}.${flip(proof)}`,
    `Bearer lhp_${end}.${nonce}.${proof.slice(1)}`,
    `Bearer lhp_${end}.${nonce}.`,
    `Bearer lhp_.${nonce}.${proof}`,
    `Bearer ${end}.${nonce}.${proof}`,
    `Bearer ${token}x`,
    `Bearer ${token} ${token}`,
    'Bearer ',
    undefined,
    token,
    `Basic ${token}`,
  ];
  for (const each of changed) expect(await isServers(tokens, each)).toBe(false);
  expect(await isServers(tokens, `bearer  ${token}`)).toBe(true);
});
