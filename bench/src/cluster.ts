import { cpus } from 'node:os';
import type { BenchResult } from './bench-result.ts';
import { timeIdle } from './cluster/idle.ts';
import { timeLongSession } from './cluster/long-session-speed.ts';
import { timePostgresRate } from './cluster/postgres-rate.ts';
import { timeReactions } from './cluster/reactions.ts';
import { type CpuSeconds, type ServingCluster, startServingCluster } from './cluster/serving-cluster.ts';
import { MESSAGES } from './long-session.ts';
import { firstLine, startScript } from './server/serving.ts';

const NODES = 3;
const DELTAS = 400;
const INTERVAL_MS = 25;
const SPREAD_MS = 5_000;
/** Sessions before those that are measured. */
const WARMING = 9;
const SLEEPING = 10_000;
const RATES = [
  { key: 'one', label: 'one session, each call awaited', sessions: 1, steps: 50 },
  { key: 'many', label: '50 sessions at a time', sessions: 50, steps: 20 },
];

interface Load {
  p50: number;
  p95: number;
  p99: number;
  lost: number;
  seconds: number;
  cpuSeconds: number;
}

/**
 * Measures servers with one PostgreSQL database, all on this machine: the delay of a piece of text from the model to a
 * reader at another server than the one that was asked, stored steps compared with SQLite and with prepared inserts, how
 * soon a request takes effect at another server, a long session compared with SQLite, and a server beside sleeping
 * sessions. `LONGHAUL_BENCH_SESSIONS` sets
 * other numbers of sessions than 100,200.
 */
export async function benchCluster(): Promise<BenchResult> {
  const result: BenchResult = { name: 'cluster', rows: [], summary: {} };
  await addStreams(result);
  await addRates(result);
  await addLongSession(result);
  await addIdle(result);
  result.notes = [
    `Model server, ${NODES} servers, PostgreSQL and readers share the processors of this machine.`,
    'Commits of PostgreSQL and of SQLite wait for the disk.',
  ];
  return result;
}

async function addStreams({ rows, summary }: BenchResult): Promise<void> {
  const counts = (process.env['LONGHAUL_BENCH_SESSIONS'] ?? '100,200').split(',').map(Number);
  for (const [index, count] of counts.entries()) {
    await using cluster = await startServingCluster({
      nodes: NODES,
      deltas: DELTAS,
      intervalMs: INTERVAL_MS,
    });
    // What a start does is not counted.
    await runLoad(cluster, { sessions: WARMING, spreadMs: 0 });
    const { load, cpu, othersPercent } = await runLoad(cluster, { sessions: count, spreadMs: SPREAD_MS });
    rows.push({
      label: `${count} sessions on ${NODES} servers, 40 deltas a second each`,
      values: {
        'p50 ms': Math.round(load.p50),
        'p95 ms': Math.round(load.p95),
        'p99 ms': Math.round(load.p99),
        lost: load.lost,
        seconds: Math.round(load.seconds),
        ...microsOf({ ...cpu, readers: load.cpuSeconds }, count * DELTAS),
        'other programs, % of the machine': othersPercent,
      },
    });
    if (index > 0) continue;
    Object.assign(summary, { p95Ms: Math.round(load.p95), lost: load.lost });
    const reactions = await timeReactions(cluster.urls);
    rows.push({
      label: 'a request at another server takes effect',
      values: {
        'cancel, slowest of 10, ms': reactions.cancelMs,
        'queued message, slowest': reactions.queueMs,
        'approval, slowest': reactions.approvalMs,
        'settings, median, ms': reactions.settingsMs,
      },
    });
    Object.assign(summary, reactions);
  }
}

async function runLoad(
  cluster: ServingCluster,
  { sessions, spreadMs }: { sessions: number; spreadMs: number },
): Promise<{ load: Load; cpu: CpuSeconds; othersPercent: number }> {
  const [before, machineBefore] = [await cluster.cpuSeconds(), machineSeconds()];
  const args = [cluster.urls.join(','), '', `${sessions}`, `${spreadMs}`];
  const load: Load = JSON.parse(await firstLine(startScript('load-process.ts', args)));
  const [after, machineAfter] = [await cluster.cpuSeconds(), machineSeconds()];
  const cpu = {
    servers: after.servers - before.servers,
    database: after.database - before.database,
    model: after.model - before.model,
  };
  const own = cpu.servers + cpu.database + cpu.model + load.cpuSeconds;
  const others = machineAfter.busy - machineBefore.busy - own;
  const othersPercent = Math.round((others * 100) / (machineAfter.all - machineBefore.all));
  return { load, cpu, othersPercent };
}

/** Processor seconds of all programs since the machine started, and the seconds of all processors. */
function machineSeconds(): { busy: number; all: number } {
  let [busy, idle] = [0, 0];
  for (const { times } of cpus()) {
    busy += times.user + times.nice + times.sys + times.irq;
    idle += times.idle;
  }
  return { busy: busy / 1_000, all: (busy + idle) / 1_000 };
}

/** Microseconds of processor time for each delta. */
function microsOf(seconds: CpuSeconds & { readers: number }, deltas: number): Record<string, number> {
  const named = { 'µs CPU a delta': 'servers', 'µs of PostgreSQL': 'database' } as const;
  const clients = { 'µs of the model': 'model', 'µs of the readers': 'readers' } as const;
  return Object.fromEntries(
    Object.entries({ ...named, ...clients }).map(([label, side]) => [
      label,
      Math.round((seconds[side] * 1e6) / deltas),
    ]),
  );
}

async function addRates({ rows, summary }: BenchResult): Promise<void> {
  for (const { key, label, ...load } of RATES) {
    const { postgresMs, sqliteMs, rowsPerSecond, rawRowsPerSecond } = await timePostgresRate(load);
    const ratio = Number((postgresMs / sqliteMs).toFixed(2));
    const ofRaw = Number((rowsPerSecond / rawRowsPerSecond).toFixed(2));
    rows.push({
      label: `stored calls: ${label}`,
      values: {
        'PostgreSQL ms': postgresMs,
        'SQLite ms': sqliteMs,
        ratio,
        'rows/s': rowsPerSecond,
        'raw rows/s': rawRowsPerSecond,
        'of raw': ofRaw,
      },
    });
    Object.assign(summary, { [`${key}ToSqlite`]: ratio, [`${key}OfRaw`]: ofRaw });
  }
}

async function addLongSession({ rows, summary }: BenchResult): Promise<void> {
  const { view, resume } = await timeLongSession();
  for (const [name, { postgres, sqlite }] of Object.entries({ view, resume })) {
    const ratio = Number((postgres / sqlite).toFixed(2));
    rows.push({
      label: `${name} of a session of ${MESSAGES} messages`,
      values: { 'PostgreSQL ms': postgres, 'SQLite ms': sqlite, ratio },
    });
    summary[`${name}ToSqlite`] = ratio;
  }
}

async function addIdle({ rows, summary }: BenchResult): Promise<void> {
  for (const sessions of [0, SLEEPING]) {
    const { transactionsPerSecond, cpuPercent, connections } = await timeIdle(sessions);
    rows.push({
      label: `an idle server beside ${sessions} sleeping sessions`,
      values: { 'transactions/s': transactionsPerSecond, 'CPU %': cpuPercent, connections },
    });
    summary[sessions === 0 ? 'idleAlone' : 'idleBeside'] = transactionsPerSecond;
  }
}
