import type { Config } from '@longhaul/config';
import type { Store } from '@longhaul/core';
import type { SettingsBody } from '@longhaul/protocol/api';
import type { Settings } from './load-settings.ts';
import { readPruningAgentId, withPruningAgent } from './pruning-agent.ts';

/** The key of the settings that were changed over the API. */
const KEY = 'compression';

/** The settings of compaction that were changed over the API. */
export type CompressionChange = NonNullable<SettingsBody['compression']>;

/** Returns the changed settings; empty if none were changed. */
export async function readChange(store: Store): Promise<CompressionChange> {
  // The server checked the settings before it stored them.
  return ((await store.getSetting(KEY)) ?? {}) as CompressionChange;
}

export async function writeChange(store: Store, change: CompressionChange): Promise<void> {
  const isEmpty = Object.keys(change).length === 0;
  await store.putSetting(KEY, isEmpty ? undefined : JSON.parse(JSON.stringify(change)));
}

/**
 * Returns the configuration for sessions of this store. Changes over the API override the files, and flags override
 * both.
 */
export async function changedConfig(settings: Settings, store: Store): Promise<Config> {
  const [change, agentId] = await Promise.all([readChange(store), readPruningAgentId(store)]);
  const isChanged = Object.keys(change).length > 0;
  const config = isChanged ? (await settings.withCompression(change)).config : settings.config;
  return withPruningAgent(config, agentId);
}
