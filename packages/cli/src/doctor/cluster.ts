import type { ClusterFacts, KnownServer } from '@longhaul/cluster';
import type { Config } from '@longhaul/config';
import { plural } from '../render/format.ts';
import type { Check } from './check.ts';

const NAME = 'servers';
/** How long a server has to answer. */
const ANSWER_MS = 5_000;
/** Answers name the time in seconds. */
const TOLERANCE_MS = 5_000;

export interface ClusterOptions extends Pick<Config['cluster'], 'secret'> {
  /** Of this program. */
  version: string;
}

/** Asks every server of the cluster that has an address. */
export async function checkCluster(
  { servers }: Pick<ClusterFacts, 'servers'>,
  options: ClusterOptions,
): Promise<Check[]> {
  const asked = servers.map((server) => checkServer(server, options));
  return [...versionChecks(servers, options.version), ...(await Promise.all(asked)).flat()];
}

function versionChecks(servers: readonly KnownServer[], version: string): Check[] {
  const others = new Map<string, string[]>();
  for (const server of servers)
    if (server.version !== version)
      others.set(server.version, [...(others.get(server.version) ?? []), server.machine]);
  return [...others].map(([other, machines]) => ({
    name: NAME,
    status: 'missing',
    detail: `${plural(machines.length, 'server')} of version ${other} on ${[...new Set(machines)].join(', ')}; this program has version ${version}`,
    remedy: 'Finish the update: see docs/scale.md, "Updating".',
  }));
}

async function checkServer({ machine, address }: KnownServer, { secret }: ClusterOptions): Promise<Check[]> {
  if (address === undefined) return [];
  const server = `the server ${address} of ${machine}`;
  if (secret === null)
    return [
      {
        name: NAME,
        status: 'missing',
        detail: `${server} has a cluster.secret, and this machine has none`,
        remedy: 'Set the same cluster.secret on all machines.',
      },
    ];
  try {
    const { status, headers } = await ask(address, secret);
    return [...secretChecks(server, status), ...clockChecks(server, headers.get('date'))];
  } catch (error) {
    return [unreachable(server, error)];
  }
}

/** Asks for the events of a session that does not exist: only the status and the time matter. */
async function ask(address: string, secret: string): Promise<Response> {
  const answer = await fetch(`${address.replace(/\/$/, '')}/cluster/sessions/doctor/events`, {
    headers: { authorization: `Bearer ${secret}` },
    signal: AbortSignal.timeout(ANSWER_MS),
    redirect: 'manual',
  });
  await answer.body?.cancel();
  return answer;
}

function secretChecks(server: string, status: number): Check[] {
  if (status === 200) return [];
  const detail =
    status === 401
      ? `${server} has another cluster.secret than this machine`
      : `${server} answers with the status ${status} instead of 200: it is not a server of this cluster`;
  const remedy =
    status === 401
      ? 'Set the same cluster.secret on all machines.'
      : 'Set cluster.address of that machine to the address of its server. A proxy must pass the path /cluster/ on.';
  return [{ name: NAME, status: 'missing', detail, remedy }];
}

function clockChecks(server: string, date: string | null): Check[] {
  const difference = Date.parse(date ?? '') - Date.now();
  if (!(Math.abs(difference) > TOLERANCE_MS)) return [];
  const seconds = Math.round(Math.abs(difference) / 1_000);
  return [
    {
      name: NAME,
      status: 'missing',
      detail: `the clock of ${server} is ${plural(seconds, 'second')} ${difference > 0 ? 'ahead of' : 'behind'} that of this machine`,
      remedy:
        'Synchronize the clocks, for example with chrony. Sessions are safe, because the clock of the database decides, but shown times are wrong.',
    },
  ];
}

function unreachable(server: string, error: unknown): Check {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return {
    name: NAME,
    status: 'missing',
    detail: `${server} cannot be reached from this machine (${cause instanceof Error ? cause.message : String(cause)})`,
    remedy:
      'Set cluster.address of that machine to an address that the others reach, and open its port for them. Until then, texts of answers arrive about a second later.',
  };
}
