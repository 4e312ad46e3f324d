import type { JsonValue } from '@longhaul/protocol';
import { eq } from 'drizzle-orm';
import { parseColumn } from '../shared/json.ts';
import type { Drizzle } from './connection.ts';
import { settings } from './schema.ts';

/** Settings changed while the program ran. */
export function createSettingsTable(db: Drizzle) {
  return {
    get(key: string): JsonValue | undefined {
      const row = db.select().from(settings).where(eq(settings.key, key)).get();
      return row === undefined
        ? undefined
        : parseColumn<JsonValue>(row.value, { table: 'settings', id: key });
    },

    put(key: string, value: JsonValue | undefined): void {
      if (value === undefined) {
        db.delete(settings).where(eq(settings.key, key)).run();
        return;
      }
      const text = JSON.stringify(value);
      db.insert(settings)
        .values({ key, value: text })
        .onConflictDoUpdate({ target: settings.key, set: { value: text } })
        .run();
    },
  };
}
