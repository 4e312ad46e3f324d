import type { JsonValue } from '@longhaul/protocol';

/**
 * Stores settings that were changed at run time. Deleting a session also deletes the keys that begin with
 * `session:ID:`.
 */
export interface SettingsStore {
  /** Returns the value, or undefined if the key is not set. */
  getSetting(key: string): Promise<JsonValue | undefined>;
  /** Sets the value. Undefined removes the key. */
  putSetting(key: string, value: JsonValue | undefined): Promise<void>;
}
