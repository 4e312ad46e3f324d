import { useSyncExternalStore } from 'react';

/** What the page shows. The address has it after `#`, so that it can be bookmarked, and the server sees none of it. */
export type Route =
  | { page: 'home' }
  | { page: 'session'; sessionId: string; panel?: Panel; message?: string }
  | { page: 'settings' }
  | { page: 'replay' }
  | { page: 'inbox' }
  /** An address that names nothing. */
  | { page: 'unknown'; named: 'session' | 'page'; hash: string };

/** What is shown beside a conversation. */
export type Panel = 'context' | 'files' | 'tree';

const MOST_ID_CHARS = 200;
const PANELS: readonly Panel[] = ['context', 'files', 'tree'];

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page = '', id = '', ...more] = path.split('/');
  if (page === '') return { page: 'home' };
  if (page === 'settings' || page === 'replay' || page === 'inbox') return { page };
  if (page !== 'session') return { page: 'unknown', named: 'page', hash };
  const sessionId = decodeId(id);
  if (more.some((part) => part !== '') || !isSessionId(sessionId))
    return { page: 'unknown', named: 'session', hash };
  const params = new URLSearchParams(query);
  const panel = PANELS.find((name) => name === params.get('panel'));
  const message = params.get('message') ?? undefined;
  return {
    page,
    sessionId,
    ...(panel !== undefined && { panel }),
    ...(message !== undefined && /^m\d+(\.\d+)?$/.test(message) && { message }),
  };
}

export function formatRoute(route: Route): string {
  if (route.page === 'home') return '#/';
  if (route.page === 'unknown') return route.hash;
  if (route.page !== 'session') return `#/${route.page}`;
  const { sessionId, panel, message } = route;
  const params = new URLSearchParams();
  if (panel !== undefined) params.set('panel', panel);
  if (message !== undefined) params.set('message', message);
  const query = params.size === 0 ? '' : `?${params}`;
  return `#/session/${encodeURIComponent(sessionId)}${query}`;
}

export function goTo(route: Route): void {
  location.hash = formatRoute(route);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return parseRoute(hash);
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

/**
 * Whether the server takes the text as the id of a session. `.` and `..` are none: in the path of a request, they would
 * name another route.
 */
function isSessionId(text: string): boolean {
  return text !== '' && text.length <= MOST_ID_CHARS && !text.includes('\0') && text !== '.' && text !== '..';
}

function decodeId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
