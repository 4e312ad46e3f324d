import { existsSync } from 'node:fs';
import type { Config } from '@longhaul/config';
import { endKeptProcesses } from '@longhaul/core';
import type { GarbagePlan, RetentionLimits } from '@longhaul/storage/maintenance';
import { parseAge, parseSize } from '../command-line/amounts.ts';
import { GC_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { endProcess } from '../compose/open-sandbox.ts';
import { openStorage } from '../compose/open-storage.ts';
import { databasePath, isPostgres } from '../compose/storage-place.ts';
import type { Agreed, Garbage } from '../garbage/garbage.ts';
import { plural } from '../render/format.ts';
import { planText, reportText } from '../render/garbage-text.ts';
import { agrees } from '../run/confirm.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

/** `longhaul gc`: removes unneeded data, and sessions if the user agrees. */
export async function gc(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'gc', GC_FLAGS);
  if (positionals.length > 0) throw usage(`longhaul gc takes no "${positionals[0]}".`, 'gc');
  const { config } = await loadSettings(values, terminal);
  const limits = limitsOf(values, config.storage.retention);
  const { url } = config.storage;
  const write = (json: object, text: string) =>
    terminal.out.write(values.json ? `${JSON.stringify(json)}\n` : text);
  if (!isPostgres(url) && !existsSync(databasePath(url))) {
    const path = databasePath(url);
    write({ path, status: 'missing' }, `There is no database at ${path} yet: nothing to do.\n`);
    return 0;
  }
  await using garbage = await garbageOf(config, terminal.env);
  const plan = await garbage.plan(limits);
  const columns = columnsOf(terminal.out);
  if (values['dry-run']) {
    write(plan, planText(plan, columns));
    return 0;
  }
  const agreed = await agreement(plan, { ...values, terminal, columns });
  await endKeptOf(agreed.sessions, config);
  const { report, workspaces } = await garbage.collect(agreed);
  const copies = workspaces.length === 0 ? '' : `Removed: ${copiesText(workspaces.length)}.\n`;
  write({ ...report, workspaces }, `${reportText(report, columns)}${copies}`);
  return 0;
}

async function garbageOf(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Garbage> {
  if (!isPostgres(config.storage.url))
    return (await import('../garbage/sqlite-garbage.ts')).sqliteGarbage(config, env);
  return (await import('../garbage/postgres-garbage.ts')).postgresGarbage(config, env);
}

function copiesText(count: number): string {
  return count === 1
    ? '1 copied workspace without a session'
    : `${count} copied workspaces without a session`;
}

/** Commands that removed sessions keep running would be in no list any more. */
async function endKeptOf(sessions: readonly string[], { storage }: Config): Promise<void> {
  if (sessions.length === 0) return;
  const { store } = await openStorage(storage, { access: 'write' });
  await using _store = store;
  for (const id of sessions) {
    const session = await store.getSession(id);
    if (session !== undefined) await endKeptProcesses(store, session, endProcess);
  }
}

function limitsOf(
  flags: { 'older-than'?: string; 'max-size'?: string },
  { days, maxBytes }: Config['storage']['retention'],
): RetentionLimits {
  const olderThanMs =
    parseAge(flags['older-than'], '--older-than') ?? (days === null ? undefined : days * 86_400_000);
  const most = parseSize(flags['max-size'], '--max-size') ?? maxBytes ?? undefined;
  return { ...(olderThanMs && { olderThanMs }), ...(most && { maxBytes: most }) };
}

/** Returns the sessions and backups that may be removed: lists them, then asks. */
async function agreement(
  plan: GarbagePlan,
  options: { yes?: boolean; json?: boolean; terminal: Terminal; columns: number },
): Promise<Agreed> {
  const { drop, oldBackups } = plan;
  if (drop.length === 0 && oldBackups.length === 0) return { sessions: [], backups: [] };
  const { yes = false, json = false, terminal, columns } = options;
  if (!yes && !json && terminal.out.isTTY) terminal.out.write(planText(plan, columns));
  const things = [
    ...(drop.length > 0 ? [plural(drop.length, 'session')] : []),
    ...(oldBackups.length > 0 ? [plural(oldBackups.length, 'backup')] : []),
  ].join(' and ');
  const agreed = await agrees(`Remove ${things} permanently?`, { yes, terminal, command: 'gc' });
  if (!agreed) return { sessions: [], backups: [] };
  return { sessions: drop.map(({ id }) => id), backups: oldBackups.map(({ path }) => path) };
}
