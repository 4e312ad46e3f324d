import type { EventListener } from '@longhaul/core';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { addNodeGauges, type NodeGaugesOptions } from './health/node-gauges.ts';
import { createRunCounters } from './health/run-counters.ts';
import { addSpentGauges, type SpentGaugesOptions } from './health/spent-gauges.ts';
import { addStoreGauges, type StoreGaugesOptions } from './health/store-gauges.ts';

/** The server's metrics for Prometheus. */
export interface ServerMetrics {
  request(request: { method: string; status: number; ms: number }): void;
  run(run: { status: string; seconds: number }): void;
  /** Counts the events of runs. */
  receive: EventListener;
  text(): Promise<string>;
}

interface MetricsOptions extends StoreGaugesOptions, SpentGaugesOptions {
  store: StoreGaugesOptions['store'] & SpentGaugesOptions['store'];
  runs: () => number;
  /** Sessions that wait for a place. */
  waiting: () => number;
  /** Places for runs. Null: no limit. */
  places: () => number | null;
  readers: () => number;
  /** Open streams from other servers of the cluster. Undefined: this server is alone. */
  streams: (() => number) | undefined;
  /** This server among several. Undefined: it is alone. */
  node: NodeGaugesOptions | undefined;
}

/** Figures of the process with names for counters. Prometheus advises against them. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

export function createMetrics(now: MetricsOptions): ServerMetrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'longhaul_http_request_seconds',
    help: 'Duration of requests. For event streams, the time until the stream is open.',
    labelNames: ['method', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers,
  });
  const runs = new Counter({
    name: 'longhaul_runs_total',
    help: 'Finished runs by status.',
    labelNames: ['status'],
    registers,
  });
  const runSeconds = new Histogram({
    name: 'longhaul_run_seconds',
    help: 'Duration of runs.',
    buckets: [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000],
    registers,
  });
  // They measure the delay of timers a hundred times a second, so they begin when somebody asks for them.
  let collectsDefaults = false;
  gauge('longhaul_runs_active', 'Active runs.', now.runs, registers);
  gauge('longhaul_runs_max', 'Places for runs.', () => now.places() ?? Number.POSITIVE_INFINITY, registers);
  gauge('longhaul_runs_waiting', 'Sessions that wait for a place to run.', now.waiting, registers);
  gauge('longhaul_event_readers', 'Open event streams.', now.readers, registers);
  if (now.streams !== undefined)
    gauge(
      'longhaul_cluster_streams',
      'Sessions whose events come from another server.',
      now.streams,
      registers,
    );
  if (now.node !== undefined) addNodeGauges(registry, now.node);
  addStoreGauges(registry, now);
  addSpentGauges(registry, now);
  return {
    receive: createRunCounters(registry),
    request: ({ method, status, ms }) => requests.observe({ method, status: String(status) }, ms / 1_000),
    run({ status, seconds }) {
      runs.inc({ status });
      runSeconds.observe(seconds);
    },
    text() {
      if (!collectsDefaults) {
        collectDefaultMetrics({ register: registry });
        for (const name of MISNAMED) registry.removeSingleMetric(name);
      }
      collectsDefaults = true;
      return registry.metrics();
    },
  };
}

function gauge(name: string, help: string, value: () => number, registers: Registry[]): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(value());
    },
  });
}
