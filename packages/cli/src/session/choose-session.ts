import { stat } from 'node:fs/promises';
import type { Store } from '@longhaul/core';
import { LonghaulError, type Session, workspaceSourceOf } from '@longhaul/protocol';
import { shellWords } from '../command-line/shell-words.ts';
import type { Settings } from '../compose/load-settings.ts';
import { fitLine, shortId } from '../render/format.ts';
import { askYesNo, canAsk } from '../run/confirm.ts';
import type { Terminal } from '../terminal.ts';
import { newestSession, newestUnfinished, sessionByPrefix } from './find-session.ts';
import { isOfScope, scopeOf } from './workspace-scope.ts';

/** A command that names a session. */
export interface SessionCommand {
  settings: Pick<Settings, 'workspace' | 'home'>;
  /** `--all`: sessions of every folder are meant. */
  all?: boolean;
  /** A command that only reads a session may read one of another folder by its id. */
  access: 'read' | 'change';
  /** The command as it was typed, without `longhaul`. */
  typed: readonly string[];
  terminal: Terminal;
  /** Leaves the terminal to a question, for a caller that draws on it. */
  lend?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Nobody is asked: a program reads the output. */
  json?: boolean;
}

/**
 * Returns the session that a command names: by its id, by the beginning of it, or `last` for the newest one of this
 * workspace.
 *
 * A command that changes a session of another workspace needs `--all` or `--cwd`, or a yes at the terminal.
 *
 * @throws {LonghaulError} `session_not_found`; `usage` for an ambiguous id, or for a session of another workspace, with
 * the command that uses it; `cancelled` after a no.
 */
export async function chooseSession(store: Store, named: string, command: SessionCommand): Promise<Session> {
  if (named === 'last') return newestSession(store, await scopeOfCommand(command));
  const session = await sessionByPrefix(store, named);
  if (command.access === 'change') await requireThisWorkspace(session, command);
  return session;
}

/**
 * Returns the newest session of this workspace that can be resumed, or undefined if there is none. Throws as
 * `chooseSession`.
 */
export async function chooseUnfinished(store: Store, command: SessionCommand): Promise<Session | undefined> {
  return newestUnfinished(store, await scopeOfCommand(command));
}

async function scopeOfCommand({ settings: { workspace, home }, all = false }: SessionCommand) {
  return { scope: all ? undefined : await scopeOf(workspace, home), home };
}

async function requireThisWorkspace(session: Session, command: SessionCommand): Promise<void> {
  const { settings, all = false, json = false, terminal, lend = (work) => work() } = command;
  // Its folder is in Longhaul's own data, so nobody is in it.
  if (workspaceSourceOf(session) !== undefined) return;
  if (all || (await isOfScope(session, await scopeOf(settings.workspace, settings.home), settings.home)))
    return;
  const which = `Session ${shortId(session.id)} ("${fitLine(session.title, 40)}") works in ${session.workspace}, not in ${settings.workspace}.`;
  if (json || !canAsk(terminal)) {
    const exact = shellWords(['longhaul', ...(await withFolder(command.typed, session.workspace))]);
    throw new LonghaulError('usage', `${which} To use it there: ${exact}`, {
      data: { sessionId: session.id, workspace: session.workspace },
    });
  }
  if (!(await lend(() => askYesNo(`${which} Use it there?`, terminal))))
    throw new LonghaulError('cancelled', 'Nothing was done.');
}

/**
 * The command with the folder of the session; with `--all` if that folder is gone. Of several `-C`, the last one
 * counts.
 */
async function withFolder(typed: readonly string[], folder: string): Promise<string[]> {
  const isThere = await stat(folder).then(
    (info) => info.isDirectory(),
    () => false,
  );
  const end = typed.indexOf('--');
  const flags = isThere ? ['-C', folder] : ['--all'];
  return end === -1 ? [...typed, ...flags] : [...typed.slice(0, end), ...flags, ...typed.slice(end)];
}
