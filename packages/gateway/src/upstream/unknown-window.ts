import type { KnownWindow } from './window-book.ts';

/** So large that nothing is ever compacted. */
export const UNKNOWN_WINDOW: KnownWindow = { windowTokens: 1e12, source: 'unknown' };

export function isUnknownWindow(windowTokens: number): boolean {
  return windowTokens === UNKNOWN_WINDOW.windowTokens;
}
