import type { Config } from '@longhaul/config';
import type { BlobStore, Runtime, Store } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { changedConfig } from '../compose/changed-settings.ts';
import { loadSettings, type Place } from '../compose/load-settings.ts';
import { openContext } from '../compose/open-context.ts';
import { openStorage, type Storage } from '../compose/open-storage.ts';
import { sessionAddress } from '../compose/session-address.ts';
import type { Terminal } from '../terminal.ts';
import { chooseSession, type SessionCommand } from './choose-session.ts';

export interface WithSessionOptions extends Pick<SessionCommand, 'access' | 'typed'> {
  values: Place & { all?: boolean; json?: boolean };
  terminal: Terminal;
}

export interface FoundSession {
  runtime: Runtime;
  storage: Storage;
  store: Store;
  session: Session;
  config: Config;
  /** The session's own address, if it has one. */
  address: () => Promise<string | undefined>;
}

/**
 * Finds a session for a command that works on it between its runs, and closes the storage afterwards. Throws as
 * `chooseSession`.
 */
export async function withSession(
  named: string,
  { values, terminal, access, typed }: WithSessionOptions,
  work: (found: FoundSession) => Promise<number>,
): Promise<number> {
  const settings = await loadSettings(values, terminal);
  const storage = await openStorage(settings.config.storage, {
    access: access === 'read' ? 'read' : 'write',
  });
  await using _store = storage.store;
  const { all, json } = values;
  const session = await chooseSession(storage.store, named, { settings, all, json, access, typed, terminal });
  const config = await changedConfig(settings, storage.store);
  const address = () => sessionAddress(storage.store, session, settings);
  const own = { model: session.model, address };
  const runtime = await openContext(config, { storage, session: own, env: terminal.env });
  return await work({ runtime, storage, store: storage.store, session, config, address });
}

/** Finds a session for a command that only reads it. Throws as `chooseSession`. */
export async function readSession(
  named: string,
  { values, terminal, typed }: Omit<WithSessionOptions, 'access'>,
  work: (found: { store: Store; blobs: BlobStore; session: Session }) => Promise<number>,
): Promise<number> {
  const settings = await loadSettings(values, terminal);
  const { store, blobs } = await openStorage(settings.config.storage, { access: 'read' });
  await using _store = store;
  const { all, json } = values;
  const session = await chooseSession(store, named, { settings, all, json, access: 'read', typed, terminal });
  return await work({ store, blobs, session });
}
