import { useSyncExternalStore } from 'react';

/** What the page shows. The address has it after `#`, so that it can be bookmarked, and the server sees none of it. */
export type Route =
  | { page: 'home' }
  | { page: 'session'; sessionId: string; panel?: Panel; message?: string }
  | { page: 'settings' }
  | { page: 'replay' }
  | { page: 'inbox' };

/** What is shown beside a conversation. */
export type Panel = 'context' | 'files' | 'tree';

const PANELS: readonly Panel[] = ['context', 'files', 'tree'];

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page = '', id = ''] = path.split('/');
  if (page === 'settings' || page === 'replay' || page === 'inbox') return { page };
  if (page !== 'session' || id === '') return { page: 'home' };
  const params = new URLSearchParams(query);
  const panel = PANELS.find((name) => name === params.get('panel'));
  const message = params.get('message') ?? undefined;
  return {
    page,
    sessionId: decodeId(id),
    ...(panel !== undefined && { panel }),
    ...(message !== undefined && /^m\d+(\.\d+)?$/.test(message) && { message }),
  };
}

export function formatRoute(route: Route): string {
  if (route.page === 'home') return '#/';
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

function decodeId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
