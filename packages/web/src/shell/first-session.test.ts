// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import { silentServer } from '../data/shown-session.fixture.tsx';
import { openFirstSession } from './first-session.ts';

afterEach(() => {
  location.hash = '';
});

it('opens the session of the address until the page is shown, and says when it is read or cannot be read', async () => {
  location.hash = '#/session/s1';
  const { book, client } = silentServer();
  vi.spyOn(client.sessions, 'get').mockRejectedValue(new Error('no server'));
  vi.spyOn(client, 'messages').mockRejectedValue(new Error('no server'));
  const { isRead, release } = openFirstSession(book);
  const session = book.current('s1');
  await isRead;
  expect(session?.store.getState().phase).toBe('failed');
  expect(book.open('s1')).toBe(session);
  release();
  expect(book.current('s1')).toBe(session);
  book.close('s1');
  expect(book.current('s1')).toBeUndefined();
});

it('waits for nothing at other addresses', async () => {
  location.hash = '#/settings';
  const { isRead, release } = openFirstSession(silentServer().book);
  await isRead;
  release();
});
