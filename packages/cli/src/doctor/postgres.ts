import type { ClusterFacts } from '@longhaul/cluster';
import type { Config } from '@longhaul/config';
import { formatBytes, plural } from '../render/format.ts';
import { version } from '../version.ts';
import { type Check, failedCheck } from './check.ts';
import { checkCluster } from './cluster.ts';

/** Checks the PostgreSQL database that `storage.url` names. Changes nothing, and creates no tables. */
export async function checkPostgres(
  storage: Pick<Config['storage'], 'url' | 'blobs'>,
  { deep, secret }: { deep: boolean; secret: string | null },
): Promise<Check[]> {
  const { url } = storage;
  const name = 'database';
  const { examinePostgres } = await import('@longhaul/storage/postgres');
  try {
    const { address, version, hasTables, bytes, sessions } = await examinePostgres(url);
    const server = `${address}, PostgreSQL ${version}`;
    if (!hasTables) return [{ name, status: 'ok', detail: `${server}; the first run creates the tables` }];
    return [
      { name, status: 'ok', detail: `${server}, ${formatBytes(bytes)}` },
      { name: 'sessions', status: 'ok', detail: plural(sessions, 'session') },
      ...(await checkServers(url, secret)),
      ...(await (await import('./postgres-contents.ts')).checkPostgresContents(storage, { deep })),
    ];
  } catch (error) {
    return [failedCheck(name, error)];
  }
}

/** Checks the servers that share the database. */
async function checkServers(url: string, secret: string | null): Promise<Check[]> {
  const [{ examineCluster }, { connectionOf, parsePostgresUrl }] = await Promise.all([
    import('@longhaul/cluster'),
    import('@longhaul/storage/postgres'),
  ]);
  const address = parsePostgresUrl(url);
  const facts = await examineCluster({ connection: connectionOf(address), schema: `${address.schema}_jobs` });
  if (facts === undefined) return [];
  return [...serverChecks(facts), ...(await checkCluster(facts, { secret, version: await version() }))];
}

/** Sessions that wait for a server of their machine, and sessions that were left alone, need a person. */
export function serverChecks({
  machines,
  answering,
  waiting,
  abandoned,
}: Omit<ClusterFacts, 'servers'>): Check[] {
  const name = 'servers';
  const shown = [...machines].map(([machine, count]) => `${machine} (${count})`);
  const detail = `${shown.length === 0 ? 'no server drives sessions' : `sessions are driven on ${shown.join(', ')}`}${answering === 0 ? '' : `; ${plural(answering, 'server')} only answer${answering === 1 ? 's' : ''}`}`;
  const checks: Check[] = [{ name, status: 'ok', detail }];
  for (const [machine, count] of waiting) {
    if (machine === undefined ? machines.size > 0 : machines.has(machine)) continue;
    const where = machine ?? 'any machine';
    checks.push({
      name,
      status: 'missing',
      detail: `${plural(count, 'session')} wait${count === 1 ? 's' : ''} for a server on ${where}`,
      remedy: `Start longhaul serve on ${where}.`,
    });
  }
  if (abandoned > 0)
    checks.push({
      name,
      status: 'missing',
      detail: `${plural(abandoned, 'session')} left alone, because servers died again and again while they drove ${abandoned === 1 ? 'it' : 'them'}`,
      remedy: 'Find out why in the logs of the servers, then run longhaul resume ID.',
    });
  return checks;
}
