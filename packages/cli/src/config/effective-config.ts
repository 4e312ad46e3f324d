import { existsSync } from 'node:fs';
import { type LoadedConfig, maskAddress } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import { readChange } from '../compose/changed-settings.ts';
import type { Settings } from '../compose/load-settings.ts';
import { openStorage } from '../compose/open-storage.ts';
import { databasePath, isPostgres } from '../compose/storage-place.ts';

export interface EffectiveConfig extends LoadedConfig {
  /** The database with the settings that were changed over the API. Absent: none were changed. */
  changedIn?: string;
  /** Why the changes over the API could not be read. */
  unread?: string;
}

/** Returns the effective configuration: files, and changes over the API. Creates no database. */
export async function effectiveConfig(settings: Settings): Promise<EffectiveConfig> {
  const { config, sources, origins, project } = settings;
  const files = { sources, origins, config, project };
  const { url } = config.storage;
  if (url.startsWith('memory:')) return files;
  try {
    const path = isPostgres(url) ? undefined : databasePath(url);
    if (path !== undefined && !existsSync(path)) return files;
    const { store } = await openStorage({ url }, { access: 'read' });
    await using _store = store;
    const change = await readChange(store);
    if (Object.keys(change).length === 0) return files;
    return { changedIn: path ?? maskAddress(url), ...(await settings.withCompression(change)) };
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    return { ...files, unread: error.message };
  }
}
