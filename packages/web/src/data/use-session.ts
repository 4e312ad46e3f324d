import type { ContextInfo } from '@longhaul/protocol/api';
import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import type { LivePart } from './live-texts.ts';
import type { OpenSession } from './open-session.ts';
import { useServer } from './server.ts';
import type { SessionState } from './session-state.ts';

export const SessionContext = createContext<OpenSession | undefined>(undefined);

/** Opens a session while the component is shown. Undefined for the first rendering, unless the session is open. */
export function useOpenSession(sessionId: string): OpenSession | undefined {
  const { book } = useServer();
  const [session, setSession] = useState(() => book.current(sessionId));
  useEffect(() => {
    setSession(book.open(sessionId));
    return () => book.close(sessionId);
  }, [book, sessionId]);
  return session?.id === sessionId ? session : undefined;
}

/** The context of a session, if a view of the session is shown anywhere on the page. */
export function useOpenContext(sessionId: string): ContextInfo | undefined {
  return useStore(useServer().book.contexts, (contexts) => contexts.get(sessionId));
}

/** The session that is shown. @throws Outside of `SessionContext`. */
export function useSession(): OpenSession {
  const session = use(SessionContext);
  if (session === undefined) throw new Error('useSession is used outside of SessionContext.');
  return session;
}

/** A part of the state of the shown session. `select` must return a stored value, not a new object. */
export function useSessionState<T>(select: (state: SessionState) => T): T {
  return useStore(useSession().store, select);
}

/** The parts of a message that the model is writing now. */
export function useLiveParts(messageId: string): readonly LivePart[] {
  const { live } = useSession();
  return useSyncExternalStore(live.subscribe, () => live.partsOf(messageId));
}

/** The text of a part that the model is writing now. Undefined for all others. */
export function useLiveText(messageId: string, partIndex: number): string | undefined {
  const { live } = useSession();
  return useSyncExternalStore(live.subscribe, () => live.textOf(messageId, partIndex));
}
