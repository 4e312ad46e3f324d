import type { LearnedSettings, ServedModel } from '@longhaul/models';
import type { JsonValue } from '@longhaul/protocol';
import { and, eq } from 'drizzle-orm';
import { parseColumn } from '../../shared/json.ts';
import { isExpired } from '../../shared/learned.ts';
import { windowThatHolds } from '../../shared/learned-window.ts';
import { isSoundRow, rowChecksum } from '../../shared/row-checksum.ts';
import type { Db } from '../connection.ts';
import { serverSettings, servers, settings } from '../schema.ts';

/** A damaged value is not used: the setting counts as not set. */
export async function getSetting(db: Db, key: string): Promise<JsonValue | undefined> {
  const [row] = await db.select().from(settings).where(eq(settings.key, key));
  if (row === undefined || !isSoundRow('settings', row)) return undefined;
  return parseColumn<JsonValue>(row.value, { table: 'settings', id: key });
}

export async function putSetting(db: Db, key: string, value: JsonValue | undefined): Promise<void> {
  if (value === undefined) {
    await db.delete(settings).where(eq(settings.key, key));
    return;
  }
  const text = JSON.stringify(value);
  const row = { value: text, checksum: rowChecksum('settings', { key, value: text }) };
  await db
    .insert(settings)
    .values({ key, ...row })
    .onConflictDoUpdate({ target: settings.key, set: row });
}

const windowOf = ({ baseUrl, model }: ServedModel) =>
  and(eq(servers.baseUrl, baseUrl), eq(servers.model, model));

export async function getWindow(
  db: Db,
  server: ServedModel,
  { reportedTokens, now }: { reportedTokens: number | undefined; now: number },
): Promise<number | undefined> {
  const [learned] = await db.select().from(servers).where(windowOf(server));
  return windowThatHolds(learned, { reportedTokens, now });
}

export async function putWindow(
  db: Db,
  { baseUrl, model }: ServedModel,
  {
    windowTokens,
    reportedTokens = null,
    now,
  }: { windowTokens: number; reportedTokens: number | null | undefined; now: number },
): Promise<void> {
  const learned = { windowTokens, reportedTokens, learnedAt: now };
  await db
    .insert(servers)
    .values({ baseUrl, model, ...learned })
    .onConflictDoUpdate({ target: [servers.baseUrl, servers.model], set: learned });
}

export async function removeWindow(db: Db, server: ServedModel): Promise<void> {
  await db.delete(servers).where(windowOf(server));
}

export async function getServerSettings(
  db: Db,
  { baseUrl, model }: ServedModel,
  now: number,
): Promise<LearnedSettings | undefined> {
  const isIt = and(eq(serverSettings.baseUrl, baseUrl), eq(serverSettings.model, model));
  const [row] = await db.select().from(serverSettings).where(isIt);
  if (row === undefined || isExpired(row, now)) return undefined;
  return parseColumn<LearnedSettings>(row.settings, { table: 'server_settings', id: baseUrl });
}

export async function putServerSettings(
  db: Db,
  { baseUrl, model }: ServedModel,
  { learned, now }: { learned: LearnedSettings; now: number },
): Promise<void> {
  const row = { settings: JSON.stringify(learned), learnedAt: now };
  await db
    .insert(serverSettings)
    .values({ baseUrl, model, ...row })
    .onConflictDoUpdate({ target: [serverSettings.baseUrl, serverSettings.model], set: row });
}
