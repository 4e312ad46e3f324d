import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresStore } from '@longhaul/storage/postgres';
import { startServingCluster } from './serving-cluster.ts';

const WINDOW_MS = 20_000;
const AT_ONCE = 50;

export interface IdleCost {
  transactionsPerSecond: number;
  cpuPercent: number;
  connections: number;
}

/** Measures a server without work, beside a number of sleeping sessions. */
export async function timeIdle(sessions: number): Promise<IdleCost> {
  await using cluster = await startServingCluster({
    nodes: 1,
    deltas: 1,
    intervalMs: 1,
    fill: (url) => fill(url, sessions),
  });
  const { database } = cluster;
  const transactions = async () =>
    Number(
      await database.query(
        "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'postgres'",
      ),
    );
  // What a start does is not counted.
  await sleep(5_000);
  const [before, cpuBefore] = [await transactions(), (await cluster.cpuSeconds()).servers];
  await sleep(WINDOW_MS);
  const seconds = WINDOW_MS / 1_000;
  const cpu = (await cluster.cpuSeconds()).servers - cpuBefore;
  return {
    transactionsPerSecond: Number((((await transactions()) - before) / seconds).toFixed(1)),
    cpuPercent: Number(((cpu * 100) / seconds).toFixed(1)),
    connections: Number(
      await database.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'longhaul'"),
    ),
  };
}

async function fill(url: string, sessions: number): Promise<void> {
  await using store = await openPostgresStore({ url });
  for (let first = 0; first < sessions; first += AT_ONCE) {
    const ids = Array.from(
      { length: Math.min(AT_ONCE, sessions - first) },
      (_, index) => `sleeping-${first + index}`,
    );
    await Promise.all(
      ids.map((id) =>
        store.createSession({ id, createdAt: 1, task: 't', title: 't', model: 'paced/one', workspace: '/' }),
      ),
    );
  }
}
