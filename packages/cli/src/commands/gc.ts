import { existsSync } from 'node:fs';
import type { Config } from '@longhaul/config';
import { endKeptProcesses, isOwnerAlive } from '@longhaul/core';
import type { GarbagePlan, RetentionLimits } from '@longhaul/storage/maintenance';
import { parseAge, parseSize } from '../command-line/amounts.ts';
import { GC_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { fileTrees } from '../compose/file-trees.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { endProcess } from '../compose/open-sandbox.ts';
import { openStorage } from '../compose/open-storage.ts';
import { blobFolder, databasePath } from '../compose/storage-place.ts';
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
  const path = databasePath(config.storage.url);
  const write = (json: object, text: string) =>
    terminal.out.write(values.json ? `${JSON.stringify(json)}\n` : text);
  if (!existsSync(path)) {
    write({ path, status: 'missing' }, `There is no database at ${path} yet: nothing to do.\n`);
    return 0;
  }
  const place = { path, blobs: blobFolder(path) };
  const [{ collectGarbage, planGarbage }, { treePacks }] = await Promise.all([
    import('@longhaul/storage/maintenance'),
    import('../compose/tree-packs.ts'),
  ]);
  const options = { isAlive: isOwnerAlive, packs: treePacks(place.blobs) };
  const plan = await planGarbage(place, limits, options);
  const columns = columnsOf(terminal.out);
  if (values['dry-run']) {
    write(plan, planText(plan, columns));
    return 0;
  }
  const agreed = await agreement(plan, { ...values, terminal, columns });
  await endKeptOf(agreed.sessions, config);
  const report = await collectGarbage(place, agreed, options);
  const workspaces = await sweepCopies(config, terminal.env);
  const copies = workspaces.length === 0 ? '' : `Removed: ${copiesText(workspaces.length)}.\n`;
  write({ ...report, workspaces }, `${reportText(report, columns)}${copies}`);
  return 0;
}

function copiesText(count: number): string {
  return count === 1
    ? '1 copied workspace without a session'
    : `${count} copied workspaces without a session`;
}

/** Removes the copies of workspaces whose sessions are gone. Returns the ids of these sessions. */
async function sweepCopies(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const storage = await openStorage(config.storage, { access: 'write' });
  await using store = storage.store;
  const trees = fileTrees(config, { storage, env });
  return (await trees?.copies.sweep(async (id) => (await store.getSession(id)) !== undefined)) ?? [];
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
): Promise<{ sessions: string[]; backups: string[] }> {
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
