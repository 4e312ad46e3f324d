// @vitest-environment happy-dom
import { describe, expect, it, vi } from 'vitest';
import { sessionInfo } from '../sessions/session-info.fixture.ts';
import { wantedBy } from './commands.tsx';
import { matchesWords, paletteGroups } from './palette-items.ts';

const actions = () => ({
  stop: vi.fn(),
  compact: vi.fn(),
  undo: vi.fn(),
  fork: vi.fn(),
  rename: vi.fn(),
  export: vi.fn(),
  delete: vi.fn(),
});
const home = { page: 'home' } as const;
const session = { page: 'session', sessionId: 's1' } as const;
const base = { sessions: [], onShortcuts: () => undefined };

describe('paletteGroups', () => {
  it('offers actions of a session only where one is shown', () => {
    const groups = paletteGroups({ ...base, route: home, shown: undefined });
    expect(groups.map(({ value }) => value)).toEqual(['Pages', 'Theme']);
  });

  it('offers to stop only a running session', () => {
    const idsOf = (isRunning: boolean) =>
      paletteGroups({ ...base, route: session, shown: { isRunning, actions: actions() } })
        .flatMap(({ items }) => items)
        .map(({ id }) => id);
    expect(idsOf(true)).toContain('stop');
    expect(idsOf(false)).not.toContain('stop');
    expect(idsOf(false)).toEqual(
      expect.arrayContaining([
        'compact',
        'undo',
        'fork',
        'rename',
        'export',
        'panel-context',
        'theme-dark',
        'home',
      ]),
    );
  });

  it('goes to sessions and panels', () => {
    const groups = paletteGroups({
      ...base,
      route: session,
      shown: { isRunning: false, actions: actions() },
      sessions: [sessionInfo({ id: 's2', title: 'Other' })],
    });
    const run = (id: string) =>
      groups
        .flatMap(({ items }) => items)
        .find((item) => item.id === id)
        ?.run();
    run('panel-files');
    expect(location.hash).toBe('#/session/s1?panel=files');
    run('session-s2');
    expect(location.hash).toBe('#/session/s2');
  });
});

describe('matchesWords', () => {
  const item = { id: 'a', label: 'Fix the Parser', hint: 'running · project', run: () => undefined };
  it.each([
    ['parser fix', true],
    ['project', true],
    ['', true],
    ['parser tests', false],
  ])('%j: %s', (query, expected) => {
    expect(matchesWords(item, query)).toBe(expected);
  });
});

describe('wantedBy', () => {
  const press = (key: string, more: object = {}) =>
    wantedBy({
      key,
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      shiftKey: false,
      isComposing: false,
      target: document.body,
      ...more,
    });

  it('opens the palette on Ctrl-K and Cmd-K', () => {
    expect(press('k', { ctrlKey: true })).toBe('palette');
    expect(press('K', { metaKey: true })).toBe('palette');
    expect(press('k')).toBeUndefined();
    expect(press('k', { ctrlKey: true, shiftKey: true })).toBeUndefined();
    expect(press('k', { ctrlKey: true, isComposing: true })).toBeUndefined();
  });

  it('shows the shortcuts on ?, but not in fields', () => {
    expect(press('?', { shiftKey: true })).toBe('shortcuts');
    for (const name of ['input', 'textarea', 'select'])
      expect(press('?', { target: document.createElement(name) })).toBeUndefined();
  });
});
