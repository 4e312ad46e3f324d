import { type Instance, PgBoss } from 'pg-boss';
import { ANY_MACHINE } from './job-queue.ts';
import type { DispatcherOptions } from './open-dispatcher.ts';
import { type KnownServer, parseServerName } from './server-name.ts';

/** What is known of the servers of a database. */
export interface ClusterFacts {
  /** The machines whose servers drive sessions now, and how many servers each has. */
  machines: ReadonlyMap<string, number>;
  /** All servers that live. */
  servers: readonly KnownServer[];
  /** Servers that only answer requests. */
  answering: number;
  /** Sessions that wait, by the machine that they wait for. Undefined: for any. */
  waiting: ReadonlyMap<string | undefined, number>;
  /** Sessions that were left alone because server after server died at them. */
  abandoned: number;
}

/** Reads what is known of the servers of a database. Changes nothing. Undefined: it has never had one. */
export async function examineCluster({
  connection,
  schema,
}: Pick<DispatcherOptions, 'connection' | 'schema'>): Promise<ClusterFacts | undefined> {
  const boss = new PgBoss({
    ...connection,
    schema,
    application_name: 'longhaul',
    max: 1,
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
    registerInstance: false,
    openTelemetry: { enabled: false },
  });
  // The call that fails reports it.
  boss.on('error', () => {});
  try {
    await boss.start();
    const [instances, queues] = [await boss.getInstances(), await boss.getQueues()];
    const servers = serversOf(instances.filter(({ live }) => live));
    const driving = servers.filter(({ isDriving }) => isDriving);
    return {
      machines: count(driving.map(({ machine }) => [machine, 1])),
      servers,
      answering: servers.length - driving.length,
      waiting: count(queues.map(({ name, queuedCount }) => [machineOfQueue(name), queuedCount])),
      abandoned: queues.reduce((sum, { failedCount }) => sum + failedCount, 0),
    };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  } finally {
    await boss.stop({ graceful: false }).catch(() => undefined);
  }
}

function serversOf(instances: readonly Pick<Instance, 'name'>[]): KnownServer[] {
  return instances.flatMap(({ name }) => parseServerName(name) ?? []);
}

/** Undefined: any machine. */
function machineOfQueue(name: string): string | undefined {
  const machine = name.slice(0, name.lastIndexOf('/'));
  return machine === ANY_MACHINE ? undefined : machine;
}

function count<Key>(entries: readonly (readonly [Key, number])[]): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const [name, number] of entries) {
    if (number > 0) counts.set(name, (counts.get(name) ?? 0) + number);
  }
  return counts;
}

/** Whether pg-boss has no tables there. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && /not installed|does not exist/.test(error.message);
}
