import type { Config, LoadedConfig } from '@longhaul/config';
import type { CompressionSettings, Store } from '@longhaul/core';
import type { Settings } from '@longhaul/protocol/api';
import type { SettingsService } from '@longhaul/server';
import { type CompressionChange as Change, readChange, writeChange } from '../compose/changed-settings.ts';
import { resolveNamed } from '../compose/choose-model.ts';
import { compressionSettings } from '../compose/compression.ts';

export interface ServedSettings extends SettingsService {
  /**
   * The configuration at the start of the server. Of the settings that can be changed, only the model and the strategy
   * of compaction are read elsewhere.
   */
  readonly config: Config;
  /** The current settings: a run reads them at each step. */
  readonly compression: CompressionSettings;
  readonly summariser: string;
}

/**
 * Returns the settings of compaction, from flags, changes over the API, and files.
 *
 * @param load Loads the configuration with changed settings of compaction; throws `config_invalid` for invalid ones.
 */
export async function servedSettings({
  store,
  env,
  load,
}: {
  store: Store;
  env: Readonly<Record<string, string | undefined>>;
  load: (change: Change) => Promise<Pick<LoadedConfig, 'config'>>;
}): Promise<ServedSettings> {
  const withChange = async (change: Change) => {
    const { config } = await load(change);
    return {
      change,
      config,
      compression: await compressionSettings(config.context.compression, config.project?.files),
    };
  };
  let now = await withChange(await readChange(store));

  return {
    config: now.config,
    get summariser() {
      return now.config.context.compression.model;
    },
    compression: {
      get strategy() {
        return now.compression.strategy;
      },
      get auto() {
        return now.compression.auto;
      },
      get ledgerShare() {
        return now.compression.ledgerShare;
      },
      get pruneProtectTokens() {
        return now.compression.pruneProtectTokens;
      },
      get pruneMinimumTokens() {
        return now.compression.pruneMinimumTokens;
      },
    },
    get: async () => toSettings(now),
    async put({ compression }) {
      const next = await withChange(merged(now.change, compression));
      const { model } = next.config.context.compression;
      if (model.includes('/')) resolveNamed(next.config, { model }, env);
      await writeChange(store, next.change);
      now = next;
      return toSettings(now);
    },
  };
}

function toSettings({ config, change }: { config: Config; change: Change }): Settings {
  const { strategy, trigger, auto, model, options } = config.context.compression;
  return { compression: { strategy, trigger, auto, model, options }, changed: { compression: change } };
}

/** `null` resets a setting. */
function merged(before: Change, change: Change): Change {
  const options = withoutNulls({ ...before.options, ...change.options });
  const whole = withoutNulls({ ...before, ...change });
  const keepsOptions = change.options !== null && Object.keys(options).length > 0;
  const { options: _, ...others } = whole;
  return keepsOptions ? { ...others, options } : others;
}

function withoutNulls<T extends object>(object: T): T;
function withoutNulls(object: object): object {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && value !== undefined),
  );
}
