import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { ResolvedModel } from '@longhaul/config';
import type { Store } from '@longhaul/core';
import { type JsonValue, LonghaulError, type Session } from '@longhaul/protocol';
import type { Settings } from './load-settings.ts';
import { isPostgres } from './storage-place.ts';

/** The address of a provider's models for one session, from `--base-url`. */
interface SessionAddress {
  provider: string;
  baseUrl: string;
}

/** A deeper family is damaged: its parents could be a cycle. */
const MAX_DEPTH = 100;

/**
 * Returns the key of a session's address. It is a setting and not a part of the session: otherwise a client that
 * creates, imports or changes a session over HTTP could have a key sent to an address of its own.
 */
function keyOf(sessionId: string): string {
  return `session:${sessionId}:address`;
}

/** Stores the address of a run for its session. An address that may contain a key is not stored. */
export async function keepAddress(
  store: Store,
  sessionId: string,
  { provider, baseUrl }: Pick<ResolvedModel, 'provider' | 'baseUrl'>,
): Promise<void> {
  const address = baseUrl === undefined || mayHoldKey(baseUrl) ? undefined : { provider, baseUrl };
  await store.putSetting(keyOf(sessionId), address);
}

function mayHoldKey(baseUrl: string): boolean {
  const { username, password, search, hash } = new URL(baseUrl);
  return [username, password, search, hash].some((part) => part !== '');
}

/** Gives a fork the address of its source. */
export async function copyAddress(store: Store, sourceId: string, forkId: string): Promise<void> {
  await store.putSetting(keyOf(forkId), await storedAddress(store, sourceId));
}

/** Returns what is stored for a session, or else for the session that has started it. */
async function storedAddress(store: Store, sessionId: string): Promise<JsonValue | undefined> {
  let id: string | undefined = sessionId;
  for (let depth = 0; id !== undefined && depth < MAX_DEPTH; depth += 1) {
    const told = await store.getSetting(keyOf(id));
    if (told !== undefined) return told;
    id = (await store.getSession(id))?.parentId;
  }
  return undefined;
}

/**
 * Returns the stored address of a session for its model's provider. Undefined if there is none, or it is of another
 * provider, whose key must not be sent there.
 *
 * @throws {LonghaulError} `usage` if somebody else, or the agent, may have written the database.
 */
export async function sessionAddress(
  store: Store,
  session: Pick<Session, 'id' | 'model'>,
  settings: Pick<Settings, 'config' | 'origins' | 'workspace'>,
): Promise<string | undefined> {
  const told = await storedAddress(store, session.id);
  if (!isSessionAddress(told) || !session.model.startsWith(`${told.provider}/`)) return undefined;
  const { baseUrl } = told;
  if (await isOwnDatabase(settings)) return baseUrl;
  throw new LonghaulError(
    'usage',
    `This session was run with --base-url ${baseUrl}. Its database (storage.url) is named by the project, or is in the workspace, so somebody else may have set this address. To use it, repeat the flag: --base-url ${baseUrl}`,
  );
}

/**
 * A database that a project's file names, or whose path is relative, may have come with the project. The agent can
 * write one in the workspace. Its address could then be a server of the agent, also on this machine.
 */
async function isOwnDatabase({
  config,
  origins,
  workspace,
}: Pick<Settings, 'config' | 'origins' | 'workspace'>): Promise<boolean> {
  const { url } = config.storage;
  const path = url.replace(/^sqlite:/, '');
  if (url.startsWith('memory:')) return true;
  if (origins['storage.url']?.from === 'project') return false;
  if (isPostgres(url)) return true;
  if (!isAbsolute(path)) return false;
  const real = await realpath(path).catch(() => path);
  return !real.startsWith(workspace.endsWith('/') ? workspace : `${workspace}/`);
}

function isSessionAddress(value: JsonValue | undefined): value is JsonValue & SessionAddress {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { provider, baseUrl } = value;
  return typeof provider === 'string' && typeof baseUrl === 'string' && URL.canParse(baseUrl);
}
