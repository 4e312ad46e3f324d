import type { JsonValue } from '@longhaul/protocol';

/** What was set while the program ran. */
export interface SettingsStore {
  /** What was set while the program ran. Undefined: nothing, or taken back. */
  getSetting(key: string): Promise<JsonValue | undefined>;
  /** Undefined takes it back. */
  putSetting(key: string, value: JsonValue | undefined): Promise<void>;
}
