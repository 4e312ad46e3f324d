import type { LearnedSettings, ServedModel, ServerMemory } from '@longhaul/models';
import { isExpired } from '../shared/learned.ts';
import { type LearnedWindow, windowThatHolds } from '../shared/learned-window.ts';

/** Creates a memory of what servers' refusals teach. It is lost when the process ends. */
export function createMemoryServerMemory(now: () => number = Date.now): ServerMemory {
  const windows = new Map<string, LearnedWindow>();
  const settingsOf = new Map<string, { settings: LearnedSettings; learnedAt: number }>();
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
    async learnedSettings(server) {
      const learned = settingsOf.get(keyOf(server));
      return learned === undefined || isExpired(learned, now()) ? undefined : learned.settings;
    },
    async learnSettings(server, settings) {
      settingsOf.set(keyOf(server), { settings, learnedAt: now() });
    },
  };
}
