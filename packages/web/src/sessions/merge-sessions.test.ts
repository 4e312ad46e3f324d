import { describe, expect, it } from 'vitest';
import { withChanged, withNewestPage, withOlderPage } from './merge-sessions.ts';
import { sessionInfo } from './session-info.fixture.ts';

const list = (...ids: string[]) => ids.map((id) => sessionInfo({ id }));
const ids = (sessions: readonly { id: string }[]) => sessions.map(({ id }) => id);

describe('withNewestPage', () => {
  it('puts new sessions first and keeps older ones after the page', () => {
    const { sessions, hasGap } = withNewestPage(list('c', 'b', 'a'), list('d', 'c', 'b'));
    expect(ids(sessions)).toEqual(['d', 'c', 'b', 'a']);
    expect(hasGap).toBe(false);
  });

  it('removes sessions that the page lacks in its range', () => {
    expect(ids(withNewestPage(list('d', 'c', 'b', 'a'), list('d', 'b')).sessions)).toEqual(['d', 'b', 'a']);
  });

  it('keeps only the page if nothing is in common', () => {
    const { sessions, hasGap } = withNewestPage(list('b', 'a'), list('z', 'y'));
    expect(ids(sessions)).toEqual(['z', 'y']);
    expect(hasGap).toBe(true);
  });

  it('returns no sessions after all were deleted', () => {
    expect(withNewestPage(list('b', 'a'), []).sessions).toEqual([]);
  });

  it('returns the same array and the same objects without a change', () => {
    const loaded = list('b', 'a');
    expect(withNewestPage(loaded, list('b', 'a')).sessions).toBe(loaded);
    const renamed = withNewestPage(loaded, [
      sessionInfo({ id: 'b', title: 'Other' }),
      sessionInfo({ id: 'a' }),
    ]);
    expect(renamed.sessions[0]?.title).toBe('Other');
    expect(renamed.sessions[1]).toBe(loaded[1]);
  });
});

describe('withOlderPage', () => {
  it('appends a page and leaves out sessions that are loaded', () => {
    expect(ids(withOlderPage(list('c', 'b'), list('b', 'a')))).toEqual(['c', 'b', 'a']);
  });
});

describe('withChanged', () => {
  it('replaces changed sessions, removes deleted ones and adds none', () => {
    const loaded = list('c', 'b', 'a');
    const changed = withChanged(loaded, {
      read: [sessionInfo({ id: 'b', title: 'New' }), sessionInfo({ id: 'x' })],
      deleted: new Set(['a']),
    });
    expect(changed.map(({ id, title }) => [id, title])).toEqual([
      ['c', 'Title'],
      ['b', 'New'],
    ]);
  });

  it('returns the same array without a change', () => {
    const loaded = list('b', 'a');
    expect(withChanged(loaded, { read: list('a'), deleted: new Set() })).toBe(loaded);
  });
});
