import type { SettingsStore } from '@longhaul/core';
import type { MemoryCore } from '../memory-core.ts';

export function settingsStore(core: MemoryCore): SettingsStore {
  return {
    getSetting: async (key) => structuredClone(core.settings.get(key)),

    putSetting: async (key, value) => {
      if (value === undefined) core.settings.delete(key);
      else core.settings.set(key, structuredClone(value));
    },
  };
}
