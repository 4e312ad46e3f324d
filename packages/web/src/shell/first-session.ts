import type { SessionBook } from '../data/session-book.ts';
import { parseRoute } from './route.ts';

export interface FirstSession {
  /** Resolves when the session can be shown, or cannot be read. */
  isRead: Promise<void>;
  /** To be called when the page is shown. What shows the session has opened it then. */
  release: () => void;
}

/** Begins to read the session that the address names, before anything is rendered: then it is rendered once. */
export function openFirstSession(book: SessionBook): FirstSession {
  const route = parseRoute(location.hash);
  if (route.page !== 'session') return { isRead: Promise.resolve(), release: () => undefined };
  const { store } = book.open(route.sessionId);
  const isRead = new Promise<void>((resolve) => {
    const unsubscribe = store.subscribe(({ phase }) => {
      if (phase === 'loading') return;
      unsubscribe();
      resolve();
    });
  });
  return { isRead, release: () => book.close(route.sessionId) };
}
