import type { ServedModel, WindowMemory } from '@longhaul/models';
import { type LearnedWindow, windowThatHolds } from '../shared/learned-window.ts';

/** Creates a memory of learned windows that is lost when the process ends. */
export function createMemoryWindowMemory(now: () => number = Date.now): WindowMemory {
  const windows = new Map<string, LearnedWindow>();
  const keyOf = ({ baseUrl, model }: ServedModel) => JSON.stringify([baseUrl, model]);
  return {
    async learnedWindow(server, reportedTokens) {
      return windowThatHolds(windows.get(keyOf(server)), { reportedTokens, now: now() });
    },
    async learnWindow(server, windowTokens, reportedTokens) {
      windows.set(keyOf(server), {
        windowTokens,
        reportedTokens: reportedTokens ?? null,
        learnedAt: now(),
      });
    },
    async forgetWindow(server) {
      windows.delete(keyOf(server));
    },
  };
}
