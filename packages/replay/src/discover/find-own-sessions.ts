import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openOpencodeDatabase } from '../importers/opencode-database.ts';
import { isOpencodeChild } from '../importers/opencode-files.ts';
import { type AgentPlace, agentPlaces, type Environment } from './agent-places.ts';

export interface OwnSession {
  agent: string;
  /** A file, or `DATABASE#ID`. */
  path: string;
  /** When it was last changed, in milliseconds since 1970. */
  changedAt: number;
}

export interface OwnSessions {
  /** The newest first. */
  sessions: OwnSession[];
  /** The places that were searched. */
  places: AgentPlace[];
  /** Why a place or a file could not be read. A place that does not exist is none. */
  problems: { path: string; message: string }[];
}

/** Finds the sessions that coding agents have recorded in their standard places on this machine. */
export async function findOwnSessions(options: { env: Environment; home: string }): Promise<OwnSessions> {
  const places = agentPlaces(options.env, options.home);
  const sessions: OwnSession[] = [];
  const problems: OwnSessions['problems'] = [];
  for (const place of places) {
    const found = await findIn(place, problems);
    sessions.push(...found);
  }
  sessions.sort((left, right) => right.changedAt - left.changedAt || (left.path < right.path ? -1 : 1));
  return { sessions, places, problems };
}

async function findIn(place: AgentPlace, problems: OwnSessions['problems']): Promise<OwnSession[]> {
  const sessions: OwnSession[] = [];
  for await (const relative of filesBelow(place.folder, '', problems)) {
    if (!place.pattern.test(relative)) continue;
    const path = join(place.folder, relative);
    try {
      sessions.push(...(await sessionsOf(place.agent, path)));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      problems.push({ path, message: error.message });
    }
  }
  return sessions;
}

async function sessionsOf(agent: string, path: string): Promise<OwnSession[]> {
  if (agent === 'OpenCode' && path.endsWith('.db')) {
    using database = await openOpencodeDatabase(path);
    return database.sessions().map(({ id, changedAt }) => ({ agent, path: `${path}#${id}`, changedAt }));
  }
  if (agent === 'OpenCode' && (await isOpencodeChild(path))) return [];
  const { mtimeMs } = await stat(path);
  return [{ agent, path, changedAt: mtimeMs }];
}

async function* filesBelow(
  folder: string,
  relative: string,
  problems: OwnSessions['problems'],
): AsyncGenerator<string> {
  const path = join(folder, relative);
  try {
    for await (const entry of await opendir(path)) {
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory()) yield* filesBelow(folder, name, problems);
      else if (entry.isFile()) yield name;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === undefined) throw error;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      problems.push({ path, message: `cannot be read (${String(code)})` });
  }
}
