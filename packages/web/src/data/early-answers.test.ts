// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Access } from '../access/access.ts';
import { sessionInfo } from '../sessions/session-info.fixture.ts';
import { openServer } from './server.ts';

/** The program that runs before the code of the page. */
const EARLY = readFileSync(join(import.meta.dirname, '../../public/early.js'), 'utf8');

let sent: string[];

beforeEach(() => {
  sent = [];
  globalThis.longhaulEarly = undefined;
  sessionStorage.setItem('longhaul-token', 'page-1');
  location.hash = '#/session/s1?panel=context';
  vi.stubGlobal('fetch', async (input: string | URL) => {
    const { pathname, search } = new URL(String(input), location.origin);
    sent.push(pathname + search);
    return new Response(JSON.stringify(bodyOf(pathname)));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
  location.hash = '';
});

function bodyOf(path: string): object {
  if (path.endsWith('/messages')) return { messages: [], hasMore: false };
  if (path === '/api/sessions') return { sessions: [] };
  return { ...sessionInfo({ id: 's1' }), lastEvent: 3, queued: 0 };
}

/** Opens the session as the page does, until its messages are shown. */
async function openPage(): Promise<void> {
  const access = new Access();
  await access.start();
  const { book } = openServer({ baseUrl: location.origin, access });
  const { store } = book.open('s1');
  await expect.poll(() => store.getState().phase).toBe('ready');
  book.close('s1');
  access.close();
}

it('asks for what a session shows first, exactly as the page does later', async () => {
  new Function(EARLY)();
  const early = [...sent];
  expect(early).toEqual(['/api/sessions?limit=1', '/api/sessions/s1/messages?limit=20', '/api/sessions/s1']);
  await openPage();
  expect(sent.filter((path) => early.includes(path))).toEqual(early);
});

it('uses an early answer once, and only for the token that it was asked for with', async () => {
  new Function(EARLY)();
  const early = [...sent];
  sessionStorage.setItem('longhaul-token', 'page-2');
  await openPage();
  expect(sent.slice(early.length)).toEqual(expect.arrayContaining(early));
  sent = [];
  await openPage();
  expect(sent).toEqual(expect.arrayContaining(early));
});

it('asks for nothing without a token', () => {
  sessionStorage.clear();
  new Function(EARLY)();
  expect(sent).toEqual([]);
});
