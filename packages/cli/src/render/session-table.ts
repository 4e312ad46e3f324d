import { relative } from 'node:path';
import type { SessionState } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import type { WorkspaceScope } from '../session/workspace-scope.ts';
import { fitLine, shortId } from './format.ts';
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

type Listed = Session & { state: SessionState };

/** Sessions under their folders: the beginning of the id, when it was last used, its state, its title. */
export function sessionTable(sessions: readonly Listed[], options: SessionTableOptions): string {
  if (sessions.length === 0) return noneText(options);
  const paint = createPaint(options.colors);
  const lines: string[] = [];
  let folder: string | undefined;
  for (const session of sessions) {
    if (session.workspace !== folder) lines.push(paint.dim(folderLine(session.workspace, options)));
    folder = session.workspace;
    lines.push(sessionLine(session, options, paint));
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

function sessionLine(session: Listed, { columns, now }: SessionTableOptions, paint: Paint): string {
  const time = age(now - session.updatedAt).padStart(8);
  const state = stateColor(session.state, paint)(session.state.padEnd(STATE_COLUMNS));
  return `${shortId(session.id)}  ${paint.dim(time)}  ${state}  ${fitLine(session.title, columns - 38)}`;
}

const SUMMARY_INDENT = 4;

function summaryLines({ summary }: Listed, { columns }: SessionTableOptions, paint: Paint): string[] {
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

function stateColor(state: SessionState, paint: Paint): Paint['good'] {
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
