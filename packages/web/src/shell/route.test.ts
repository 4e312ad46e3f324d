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
    ['#/session/', { page: 'home' }],
    ['#/nothing/x', { page: 'home' }],
    ['#/session/%E0%A4%A', { page: 'session', sessionId: '%E0%A4%A' }],
    ['#/session/a?panel=evil&message=javascript:alert(1)', { page: 'session', sessionId: 'a' }],
  ])('takes nothing unknown from %s', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });
});
