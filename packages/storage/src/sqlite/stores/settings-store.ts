import type { SettingsStore } from '@longhaul/core';
import type { JsonValue } from '@longhaul/protocol';
import type { StoreCore } from './store-core.ts';

export function settingsStore(core: StoreCore): SettingsStore {
  return {
    getSetting(key: string): Promise<JsonValue | undefined> {
      return core.read(() => core.settings.get(key));
    },

    putSetting(key: string, value: JsonValue | undefined): Promise<void> {
      return core.write(() => core.settings.put(key, value));
    },
  };
}
