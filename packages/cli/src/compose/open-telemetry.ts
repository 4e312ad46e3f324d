import { hostname } from 'node:os';
import type { EventListener } from '@longhaul/core';
import { version } from '../version.ts';

/** How long the end of a command waits for the collector to accept the rest. */
export const FLUSH_MS = 3_000;

interface TelemetryOptions {
  /** Read at the end. Default: `FLUSH_MS`. */
  flushMs?: () => number;
  /** Gets what could not be sent. Default: a warning of the process. */
  warn?: (message: string) => void;
}

/**
 * Sends traces and metrics of runs to an OTLP collector (HTTP), until it is disposed. Loads nothing if none is
 * configured. If the collector cannot be reached, its data is lost with a warning, and the run continues.
 *
 * @param otlp The collector's address, such as `http://127.0.0.1:4318`; null: no telemetry.
 */
export async function openTelemetry(
  otlp: string | null,
  runtime: { subscribe: (listener: EventListener) => () => void },
  { flushMs = () => FLUSH_MS, warn = (message) => process.emitWarning(message) }: TelemetryOptions = {},
): Promise<AsyncDisposable> {
  if (otlp === null) return { [Symbol.asyncDispose]: async () => {} };
  const [
    number,
    api,
    sdk,
    metrics,
    { resourceFromAttributes },
    { OTLPTraceExporter },
    { OTLPMetricExporter },
    core,
  ] = await Promise.all([
    version(),
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/exporter-metrics-otlp-http'),
    import('@longhaul/core'),
  ]);
  const base = otlp.replace(/\/+$/, '');
  const host = hostname();
  const resource = resourceFromAttributes({
    'service.name': 'longhaul',
    'service.version': number,
    'service.instance.id': `${host}:${process.pid}`,
    'host.name': host,
  });
  const tracing = new sdk.TracerProvider({
    resource,
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${base}/v1/traces` }) }),
    ],
  });
  const measuring = new metrics.MeterProvider({
    resource,
    readers: [
      new metrics.PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics` }),
      }),
    ],
  });
  const unsubscribe = runtime.subscribe(
    core.createRunTelemetry({
      api,
      tracer: tracing.getTracer('longhaul', number),
      meter: measuring.getMeter('longhaul', number),
    }),
  );
  return {
    async [Symbol.asyncDispose]() {
      unsubscribe();
      if (await isSettledWithin(flushMs(), [tracing.shutdown(), measuring.shutdown()])) return;
      warn(`Traces and metrics could not be sent to ${base} (telemetry.otlp).`);
    },
  };
}

async function isSettledWithin(ms: number, work: readonly Promise<void>[]): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), ms);
  });
  const ended = await Promise.race([Promise.allSettled(work), late]);
  clearTimeout(timer);
  return ended !== 'late' && ended.every(({ status }) => status === 'fulfilled');
}
