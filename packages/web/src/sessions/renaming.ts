import { create } from 'zustand';

/** The session whose title is a field in the header of the page. */
export const useRenaming = create<{
  renaming: string | undefined;
  rename: (sessionId: string | undefined) => void;
}>((set) => ({
  renaming: undefined,
  rename: (sessionId) => set({ renaming: sessionId }),
}));
