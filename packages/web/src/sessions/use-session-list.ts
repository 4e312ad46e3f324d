import { createContext, use } from 'react';
import { useStore } from 'zustand';
import type { SessionList, SessionListState } from './session-list.ts';

export const SessionListContext = createContext<SessionList | undefined>(undefined);

/** @throws Outside of `SessionListContext`. */
export function useSessionList(): SessionList {
  const list = use(SessionListContext);
  if (list === undefined) throw new Error('useSessionList is used outside of SessionListContext.');
  return list;
}

/** A part of the state of the list. `select` must return a stored value, not a new object. */
export function useSessionListState<T>(select: (state: SessionListState) => T): T {
  return useStore(useSessionList().store, select);
}
