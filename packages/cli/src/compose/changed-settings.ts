import type { Config } from '@longhaul/config';
import type { Store } from '@longhaul/core';
import type { SettingsBody } from '@longhaul/protocol/api';
import type { Settings } from './load-settings.ts';

/** Under this key, what was changed over the API stands in the store. */
const KEY = 'compression';

/** How contexts are compacted, as far as that was changed over the API. */
export type CompressionChange = SettingsBody['compression'];

/** What was changed; empty when nothing was. */
export async function readChange(store: Store): Promise<CompressionChange> {
  // What a server has stored was checked when it came.
  return ((await store.getSetting(KEY)) ?? {}) as CompressionChange;
}

export async function writeChange(store: Store, change: CompressionChange): Promise<void> {
  const isEmpty = Object.keys(change).length === 0;
  await store.putSetting(KEY, isEmpty ? undefined : JSON.parse(JSON.stringify(change)));
}

/** The configuration of who works on this store's sessions: what was changed over the API stands above the files, and below flags. */
export async function changedConfig(settings: Settings, store: Store): Promise<Config> {
  const change = await readChange(store);
  return Object.keys(change).length === 0 ? settings.config : (await settings.withCompression(change)).config;
}
