import type { ServedModel } from '@longhaul/models';
import { and, eq } from 'drizzle-orm';
import { windowThatHolds } from '../shared/learned-window.ts';
import type { Drizzle } from './connection.ts';
import { servers } from './schema.ts';

/** Windows learned from refusals, by server and model. */
export function createWindowTable(db: Drizzle, now: () => number) {
  const at = ({ baseUrl, model }: ServedModel) => and(eq(servers.baseUrl, baseUrl), eq(servers.model, model));
  return {
    get(server: ServedModel, reportedTokens: number | undefined): number | undefined {
      const learned = db.select().from(servers).where(at(server)).get();
      return windowThatHolds(learned, { reportedTokens, now: now() });
    },

    put({ baseUrl, model }: ServedModel, windowTokens: number, reportedTokens: number | undefined): void {
      const learned = { windowTokens, reportedTokens: reportedTokens ?? null, learnedAt: now() };
      db.insert(servers)
        .values({ baseUrl, model, ...learned })
        .onConflictDoUpdate({ target: [servers.baseUrl, servers.model], set: learned })
        .run();
    },

    remove(server: ServedModel): void {
      db.delete(servers).where(at(server)).run();
    },
  };
}
