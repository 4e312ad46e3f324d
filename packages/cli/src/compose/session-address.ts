import { isAbsolute } from 'node:path';
import type { ResolvedModel } from '@longhaul/config';
import type { Store } from '@longhaul/core';
import { isLoopback } from '@longhaul/models';
import { type JsonValue, LonghaulError, type Session } from '@longhaul/protocol';
import type { Settings } from './load-settings.ts';

/** What `--base-url` said of a session: where a provider's models are, for this session. */
interface SessionAddress {
  provider: string;
  baseUrl: string;
}

/**
 * Among settings, and not with what a session says of itself: nobody who makes a session, imports one or changes one over HTTP can write here, and so have
 * a key sent to an address of their own.
 */
function keyOf(sessionId: string): string {
  return `session:${sessionId}:address`;
}

/** Keeps the address that a run was told. One that may hold a key of its own is forgotten with the run. */
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

/** A fork goes on where its source did. */
export async function copyAddress(store: Store, sourceId: string, forkId: string): Promise<void> {
  await store.putSetting(keyOf(forkId), await store.getSetting(keyOf(sourceId)));
}

/**
 * The address that a session was told for the models of this one's provider. Undefined: none, or for another provider, whose key is not this one's.
 *
 * @throws {LonghaulError} `usage` where the database may be somebody else's and the address is not on this machine.
 */
export async function sessionAddress(
  store: Store,
  session: Pick<Session, 'id' | 'model'>,
  settings: Pick<Settings, 'config' | 'origins'>,
): Promise<string | undefined> {
  const told = await store.getSetting(keyOf(session.id));
  if (!isSessionAddress(told) || !session.model.startsWith(`${told.provider}/`)) return undefined;
  const { baseUrl } = told;
  if (isOwnDatabase(settings) || isLoopback(new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')))
    return baseUrl;
  throw new LonghaulError(
    'usage',
    `This session was run with --base-url ${baseUrl}. Its database is named by the project (storage.url), so it may not be you who said that: if it was, say it again.`,
  );
}

/** A database that a project's file names, or that is looked for in the folder one is in, may have come with the project. */
function isOwnDatabase({ config, origins }: Pick<Settings, 'config' | 'origins'>): boolean {
  const { url } = config.storage;
  return origins['storage.url']?.from !== 'project' && isAbsolute(url.replace(/^sqlite:/, ''));
}

function isSessionAddress(value: JsonValue | undefined): value is JsonValue & SessionAddress {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { provider, baseUrl } = value;
  return typeof provider === 'string' && typeof baseUrl === 'string' && URL.canParse(baseUrl);
}
