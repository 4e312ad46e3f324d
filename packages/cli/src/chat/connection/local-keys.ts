import { type Config, KeyStore } from '@longhaul/config';
import { loginProviders, otherKey, requireProvider } from '../../login/login-provider.ts';
import type { LocalKeys } from './connection.ts';

export interface LocalKeysOptions {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** The current configuration. */
  config: () => Config;
  /** A key was stored or removed. */
  onChange: () => Promise<void>;
}

/** Stored keys of the user. What is stored is used from the next run on. */
export function localKeys({ env, home, config, onChange }: LocalKeysOptions): LocalKeys {
  const store = new KeyStore({ env, home });
  return {
    providers: () => loginProviders(config()),
    stored: async () => Object.keys(await store.read()),
    require: (provider) => requireProvider(provider, config()),
    async put(provider, key) {
      await store.put(provider, key);
      await onChange();
      return { path: store.path, other: otherKey(provider, config(), env) };
    },
    async remove(provider) {
      const wasThere = await store.remove(provider);
      if (wasThere) await onChange();
      return wasThere;
    },
  };
}
