import type { SessionState } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { fitLine, shortId } from './format.ts';
import { createPaint, type Paint } from './paint.ts';

export interface SessionTableOptions {
  columns: number;
  colors: boolean;
  now: number;
}

/** One line for each session: the beginning of its id, when it was last used, how it stands, its title. */
export function sessionTable(
  sessions: readonly (Session & { state: SessionState })[],
  { columns, colors, now }: SessionTableOptions,
): string {
  const paint = createPaint(colors);
  if (sessions.length === 0) return 'No sessions yet. longhaul run "task" makes the first one.\n';
  const lines = sessions.map((session) => {
    const time = age(now - session.updatedAt).padStart(8);
    const state = stateColor(session.state, paint)(session.state.padEnd(STATE_COLUMNS));
    return `${shortId(session.id)}  ${paint.dim(time)}  ${state}  ${fitLine(session.title, columns - 38)}`;
  });
  return `${lines.join('\n')}\n`;
}

const STATE_COLUMNS = 11;

function stateColor(state: SessionState, paint: Paint): Paint['good'] {
  if (state === 'completed') return paint.good;
  if (state === 'failed') return paint.bad;
  return state === 'cancelled' || state === 'interrupted' ? paint.warn : paint.note;
}

/** `just now`, `5 min`, `3 h`, `12 days`. */
function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / (24 * 60))} days`;
}
