import type { SessionInfo } from '@longhaul/protocol/api';
import { figuresSchema, type SessionFigures } from '../data/page-calls.ts';

/** Cost, window and open things of a session. Undefined from a server that does not send them. */
export function figuresOf(session: SessionInfo): SessionFigures | undefined {
  return figuresSchema.safeParse(session['figures']).data;
}

/** How full the window was at the last request, in percent of what can be used. */
export function windowPercent({ context }: SessionFigures): number | undefined {
  if (context === undefined || context.usableTokens <= 0) return undefined;
  return Math.round((100 * context.tokens) / context.usableTokens);
}
