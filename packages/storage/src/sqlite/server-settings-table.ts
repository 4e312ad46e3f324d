import type { LearnedSettings, ServedModel } from '@longhaul/models';
import { and, eq } from 'drizzle-orm';
import { isExpired } from '../shared/learned.ts';
import type { Drizzle } from './connection.ts';
import { unlessDamaged } from './readable-rows.ts';
import { serverSettings } from './schema.ts';

/** Settings learned from refusals, by server and model. */
export function createServerSettingsTable(db: Drizzle, now: () => number) {
  return {
    get({ baseUrl, model }: ServedModel): LearnedSettings | undefined {
      const isIt = and(eq(serverSettings.baseUrl, baseUrl), eq(serverSettings.model, model));
      const row = unlessDamaged(() => db.select().from(serverSettings).where(isIt).get());
      return row === undefined || isExpired(row, now()) ? undefined : row.settings;
    },

    put({ baseUrl, model }: ServedModel, settings: LearnedSettings): void {
      const learned = { settings, learnedAt: now() };
      db.insert(serverSettings)
        .values({ baseUrl, model, ...learned })
        .onConflictDoUpdate({ target: [serverSettings.baseUrl, serverSettings.model], set: learned })
        .run();
    },
  };
}
