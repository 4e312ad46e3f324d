import { relative } from 'node:path';
import type { SessionSpent, SessionState } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import type { WorkspaceScope } from '../session/workspace-scope.ts';
import { distinctIds, fitLine, formatTokens, plural, widthOf } from './format.ts';
import { createPaint, type Paint } from './paint.ts';
import { wrapText } from './word-wrapper.ts';

export interface SessionTableOptions {
  columns: number;
  colors: boolean;
  now: number;
  /** The workspace whose sessions these are. Undefined: sessions of every folder. */
  scope: WorkspaceScope | undefined;
  home: string;
  /** There are sessions of other workspaces. */
  hasOthers: boolean;
  /** Under each session, what was done in it. */
  withSummaries?: boolean | undefined;
}

export type ListedSession = Session & {
  /** `waiting`: it has messages that no run has taken. */
  state: SessionState | 'waiting';
  /** Its place in its family, and what it has used itself. Undefined: children are not listed. */
  member?: SessionSpent & { depth: number; agent: string };
};

/** Sessions under their folders: the beginning of the id, when it was last used, its state, its title. */
export function sessionTable(sessions: readonly ListedSession[], options: SessionTableOptions): string {
  if (sessions.length === 0) return noneText(options);
  const paint = createPaint(options.colors);
  const ids = distinctIds(sessions.map(({ id }) => id));
  const lines: string[] = [];
  let folder: string | undefined;
  for (const session of sessions) {
    // A child may work in a copy of its parent's folder.
    const isBelow = session.member !== undefined && session.member.depth > 0;
    if (!isBelow && session.workspace !== folder) {
      folder = session.workspace;
      lines.push(paint.dim(folderLine(folder, options)));
    }
    lines.push(sessionLine(session, { ...options, paint, shownId: ids.get(session.id) ?? session.id }));
    if (options.withSummaries === true) lines.push(...summaryLines(session, options, paint));
  }
  return `${lines.join('\n')}\n`;
}

function noneText({ scope, hasOthers }: SessionTableOptions): string {
  const where = scope === undefined || !hasOthers ? '' : ` in ${scope.root}`;
  const others = hasOthers ? '; longhaul sessions --all lists those of other folders' : '';
  return `No sessions${where} yet. longhaul run "task" starts one${others}.\n`;
}

const STATE_COLUMNS = 11;

function sessionLine(
  { title, state, updatedAt, member }: ListedSession,
  { columns, now, paint, shownId }: SessionTableOptions & { paint: Paint; shownId: string },
): string {
  const indent = '  '.repeat(member?.depth ?? 0);
  const rest = columns - 25 - widthOf(indent + shownId);
  const figures = member === undefined ? '' : fittingFigures(member, rest - LEAST_TITLE_COLUMNS);
  const room = rest - widthOf(figures);
  const time = paint.dim(age(now - updatedAt).padStart(8));
  const shownState = stateColor(state, paint)(state.padEnd(STATE_COLUMNS));
  const start = `${indent}${shownId}  ${time}  ${shownState}  ${paint.dim(figures)}`;
  return start + fitLine(title, Math.max(LEAST_TITLE_COLUMNS, room));
}

/** What is left of a title in a narrow terminal. */
const LEAST_TITLE_COLUMNS = 12;

/** As many of its figures as leave room for a title. */
function fittingFigures(member: SessionSpent & { agent: string }, columns: number): string {
  const { agent, steps } = member;
  const forms = [figuresOf(member), `${agent} · ${plural(steps, 'step')}`, agent];
  const fitting = forms.find((form) => widthOf(form) + 2 <= columns);
  return fitting === undefined ? '' : `${fitting}  `;
}

/** `explore · 12 steps · 48k tokens` */
function figuresOf({ agent, steps, usage }: SessionSpent & { agent: string }): string {
  return `${agent} · ${plural(steps, 'step')} · ${formatTokens(usage.totalTokens)} tokens`;
}

const SUMMARY_INDENT = 4;

function summaryLines({ summary }: ListedSession, { columns }: SessionTableOptions, paint: Paint): string[] {
  if (summary === undefined) return [];
  const text = wrapText(summary, columns - SUMMARY_INDENT).trimEnd();
  return text.split('\n').map((line) => ' '.repeat(SUMMARY_INDENT) + paint.dim(line));
}

/** The folder, with `~` for the home folder. */
function folderLine(folder: string, { home, columns }: SessionTableOptions): string {
  const below = relative(home, folder);
  const isBelow = home !== '' && below !== '' && !below.startsWith('..');
  return fitLine(isBelow ? `~/${below}` : folder, columns);
}

function stateColor(state: ListedSession['state'], paint: Paint): Paint['good'] {
  if (state === 'completed') return paint.good;
  if (state === 'failed') return paint.bad;
  return state === 'cancelled' || state === 'interrupted' ? paint.warn : paint.note;
}

/** `just now`, `5 min`, `3 h`, `12 days`. */
export function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / (24 * 60))} days`;
}
