import type { CompressionSettings, Config, Store } from '@longhaul/core';
import type { JsonObject } from '@longhaul/protocol';
import type { Settings, SettingsBody } from '@longhaul/protocol/api';
import type { SettingsService } from '@longhaul/server';
import { resolveNamed } from '../compose/choose-model.ts';
import { compressionSettings } from '../compose/compression.ts';

/** Under this key, what was changed over the API stands in the store. */
const KEY = 'compression';

type Change = SettingsBody['compression'];

export interface ServedSettings extends SettingsService {
  /** As it was when the server started; of what can be changed, only the model and the strategy of compression are read elsewhere. */
  readonly config: Config;
  /** Always what holds now: a run reads it at each step. */
  readonly compression: CompressionSettings;
  readonly summariser: string;
}

/**
 * How contexts are compacted, as flags, changes over the API and files say together.
 *
 * @param load Loads the configuration with these changes; throws `config_invalid` for wrong ones.
 */
export async function servedSettings({
  store,
  env,
  load,
}: {
  store: Store;
  env: Readonly<Record<string, string | undefined>>;
  load: (changes: unknown) => Promise<Config>;
}): Promise<ServedSettings> {
  const withChange = async (change: Change) => {
    const config = await load({ context: { compression: change } });
    return { change, config, compression: await compressionSettings(config.context.compression) };
  };
  // What this server has stored was checked when it came.
  let now = await withChange(((await store.getSetting(KEY)) ?? {}) as Change);

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
      const isEmpty = Object.keys(next.change).length === 0;
      await store.putSetting(KEY, isEmpty ? undefined : toJson(next.change));
      now = next;
      return toSettings(now);
    },
  };
}

function toSettings({ config, change }: { config: Config; change: Change }): Settings {
  const { strategy, trigger, auto, model, options } = config.context.compression;
  return { compression: { strategy, trigger, auto, model, options }, changed: { compression: change } };
}

/** `null` takes a setting back. */
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

function toJson(change: Change): JsonObject {
  return JSON.parse(JSON.stringify(change));
}
