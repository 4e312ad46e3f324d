import type { JobDispatcher } from '@longhaul/cluster';
import type { Config } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import type { ClusterAddress, ServerRole } from '@longhaul/server';
import { machineName } from '../compose/machine-name.ts';
import { isPostgres } from '../compose/storage-place.ts';
import { version } from '../version.ts';

export interface Cluster extends AsyncDisposable {
  /** Undefined: this server is the only one, and drives its sessions by itself. */
  readonly dispatcher: JobDispatcher | undefined;
  /** Reports problems that the cluster survives, those before the call included. */
  reportTo(report: (problem: unknown) => void): void;
}

/**
 * Connects the server to the others of its database.
 *
 * @throws {LonghaulError} `usage` for a role without a database for several servers.
 */
export async function openCluster(
  { storage: { url }, cluster }: Config,
  { role, maxRuns, address }: { role: ServerRole; maxRuns: number | null; address: string | undefined },
): Promise<Cluster> {
  const early: unknown[] = [];
  let report: (problem: unknown) => void = (problem) => early.push(problem);
  const reportTo: Cluster['reportTo'] = (listener) => {
    report = listener;
    for (const problem of early.splice(0)) listener(problem);
  };
  if (!isPostgres(url)) {
    if (role === 'all') return { dispatcher: undefined, reportTo, async [Symbol.asyncDispose]() {} };
    throw needsPostgres(role);
  }
  const [{ openDispatcher }, { connectionOf, parsePostgresUrl }] = await Promise.all([
    import('@longhaul/cluster'),
    import('@longhaul/storage/postgres'),
  ]);
  const database = parsePostgresUrl(url);
  const dispatcher = await openDispatcher({
    connection: connectionOf(database),
    schema: `${database.schema}_jobs`,
    machine: machineName(cluster),
    isDriving: role !== 'api',
    version: await version(),
    address,
    maxRuns,
    onProblem: (problem) => report(problem),
  });
  return {
    dispatcher,
    reportTo,
    [Symbol.asyncDispose]: () => dispatcher[Symbol.asyncDispose](),
  };
}

/**
 * Returns how this server and the others reach each other. Undefined: they do not.
 *
 * @throws {LonghaulError} `config_invalid` for an address without a secret.
 */
export async function clusterAddress({
  storage: { url },
  cluster: { address, secret },
  server: { host, port },
}: Config): Promise<ClusterAddress | undefined> {
  if (secret === null && address !== null) throw noSecret();
  if (secret === null || !isPostgres(url)) return undefined;
  const { ClusterAddress } = await import('@longhaul/server');
  const known = new ClusterAddress({ secret, address: address ?? undefined });
  // A port that the system chooses is not known yet.
  if (port !== 0) known.listens(host, port);
  return known;
}

function noSecret(): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    'cluster.address is set without cluster.secret. Set the same secret for all servers, of at least 16 characters, such as cluster: { secret: $CLUSTER_SECRET }.',
  );
}

function needsPostgres(role: ServerRole): LonghaulError {
  return new LonghaulError(
    'usage',
    `longhaul serve --role ${role} works with other servers on one PostgreSQL database. Set storage.url to postgres://USER@HOST/DATABASE, or leave --role out.`,
  );
}
