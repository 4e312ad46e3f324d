import type { JsonValue } from '@longhaul/protocol';

/** What was set while the program ran. A key that begins with `session:ID:` is gone with that session. */
export interface SettingsStore {
  /** What was set while the program ran. Undefined: nothing, or taken back. */
  getSetting(key: string): Promise<JsonValue | undefined>;
  /** Undefined takes it back. */
  putSetting(key: string, value: JsonValue | undefined): Promise<void>;
}
