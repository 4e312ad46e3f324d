import { create } from 'zustand';

/** What the palette or a menu asks the page of the shown session to open. */
export interface SessionRequest {
  kind: 'rename' | 'compact';
  sessionId: string;
}

export const useSessionRequest = create<{
  request: SessionRequest | undefined;
  ask: (request: SessionRequest) => void;
  done: () => void;
}>((set) => ({
  request: undefined,
  ask: (request) => set({ request }),
  done: () => set({ request: undefined }),
}));
