import type { Runtime, Store } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { changedConfig } from '../compose/changed-settings.ts';
import { loadSettings, type Place } from '../compose/load-settings.ts';
import { openContext } from '../compose/open-context.ts';
import { openStorage } from '../compose/open-storage.ts';
import { sessionAddress } from '../compose/session-address.ts';
import type { Terminal } from '../terminal.ts';
import { findSession } from './find-session.ts';

/** Finds a session for a command that works on it between its runs, and closes the storage behind it. */
export async function withSession(
  id: string,
  { place, terminal }: { place: Place; terminal: Terminal },
  work: (found: { runtime: Runtime; store: Store; session: Session }) => Promise<number>,
): Promise<number> {
  const settings = await loadSettings(place, terminal);
  const storage = await openStorage(settings.config.storage.url);
  await using _store = storage.store;
  const session = await findSession(storage.store, id);
  const config = await changedConfig(settings, storage.store);
  const addressOf = async (model: string) =>
    model === session.model ? sessionAddress(storage.store, session, settings) : undefined;
  const runtime = await openContext(config, { storage, addressOf, env: terminal.env });
  return await work({ runtime, store: storage.store, session });
}
