import { afterEach, expect, it, vi } from 'vitest';
import { ownName, pagePrefix, serverPath } from './page-place.ts';

afterEach(() => vi.unstubAllGlobals());

it.each([
  ['https://agents.example.com/#/session/a/b', ''],
  ['https://agents.example.com/index.html', ''],
  ['https://example.com/longhaul/#code=x', '/longhaul'],
  ['https://example.com/a/b/?q=/c', '/a/b'],
])('finds the server of the page %s', (href, prefix) => {
  vi.stubGlobal('location', new URL(href));
  expect(pagePrefix()).toBe(prefix);
  expect(serverPath('/healthz')).toBe(`${prefix}/healthz`);
  expect(ownName('longhaul-token')).toBe(`longhaul-token${prefix}`);
});
