import { sessionIdSchema } from '@longhaul/protocol/api';
import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute, type Route } from './route.ts';

describe('routes', () => {
  it.each<[string, Route]>([
    ['', { page: 'home' }],
    ['#/', { page: 'home' }],
    ['#/settings', { page: 'settings' }],
    ['#/session/abc', { page: 'session', sessionId: 'abc' }],
    [
      '#/session/abc?panel=context&message=m12',
      { page: 'session', sessionId: 'abc', panel: 'context', message: 'm12' },
    ],
    ['#/session/a%2Fb%3F?message=m1.2', { page: 'session', sessionId: 'a/b?', message: 'm1.2' }],
  ])('reads %s', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  it.each([
    ['#/session/%E0%A4%A', { page: 'session', sessionId: '%E0%A4%A' }],
    ['#/session/a?panel=evil&message=javascript:alert(1)', { page: 'session', sessionId: 'a' }],
  ])('takes nothing unknown from %s', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });

  it.each(['#/nowhere', '#/nothing/x', '#/Settings'])('names no page with %s', (hash) => {
    const route = parseRoute(hash);
    expect(route).toEqual({ page: 'unknown', named: 'page', hash });
    expect(formatRoute(route)).toBe(hash);
  });

  it.each([
    '#/session/',
    '#/session/../../etc',
    '#/session/..',
    '#/session/%2E%2e',
    '#/session/.?panel=files',
    '#/session/abc/def',
  ])('names no session with %s', (hash) => {
    expect(parseRoute(hash)).toEqual({ page: 'unknown', named: 'session', hash });
  });

  it.each(['a', 'a'.repeat(200), 'a'.repeat(201), 'a\0b', 'ü b'])(
    'takes the ids that the server takes',
    (id) => {
      const { page } = parseRoute(`#/session/${encodeURIComponent(id)}`);
      expect(page === 'session').toBe(sessionIdSchema.safeParse(id).success);
    },
  );
});
