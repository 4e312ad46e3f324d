import type { SessionInfo } from '@longhaul/protocol/api';

export type SessionFigures = NonNullable<SessionInfo['figures']>;

/** How full the window was at the last request, in percent of what can be used. */
export function windowPercent({ context }: SessionFigures): number | undefined {
  if (context === undefined || context.usableTokens <= 0) return undefined;
  return Math.round((100 * context.tokens) / context.usableTokens);
}
