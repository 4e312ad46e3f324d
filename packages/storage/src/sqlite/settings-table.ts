import type { JsonValue } from '@longhaul/protocol';
import { eq } from 'drizzle-orm';
import { parseColumn } from '../shared/json.ts';
import { isSoundRow, rowChecksum } from '../shared/row-checksum.ts';
import type { Drizzle } from './connection.ts';
import { unlessDamaged } from './readable-rows.ts';
import { settings } from './schema.ts';

/** Settings changed while the program ran. */
export function createSettingsTable(db: Drizzle) {
  return {
    /** A damaged value is not used: the setting counts as not set. `longhaul doctor --deep` reports it. */
    get(key: string): JsonValue | undefined {
      const row = unlessDamaged(() => db.select().from(settings).where(eq(settings.key, key)).get());
      if (row === undefined || !isSoundRow('settings', row)) return undefined;
      return parseColumn<JsonValue>(row.value, { table: 'settings', id: key });
    },

    put(key: string, value: JsonValue | undefined): void {
      if (value === undefined) {
        db.delete(settings).where(eq(settings.key, key)).run();
        return;
      }
      const text = JSON.stringify(value);
      const row = { value: text, checksum: rowChecksum('settings', { key, value: text }) };
      db.insert(settings)
        .values({ key, ...row })
        .onConflictDoUpdate({ target: settings.key, set: row })
        .run();
    },
  };
}
