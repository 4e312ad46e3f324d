import type { EventListener } from '@longhaul/core';
import type { EventOf, LonghaulEvent } from '@longhaul/protocol';
import { Counter, type Registry } from 'prom-client';

/** Every name is a time series that Prometheus keeps, and a client can invent names of models. */
const MAX_MODELS = 100;
const OTHER = 'other';

/** Counts what runs use and how they end, from their events. */
export function createRunCounters(registry: Registry): EventListener {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const tokens = counter('longhaul_model_tokens_total', 'Tokens of answered model calls.', ['model', 'kind']);
  const cost = counter('longhaul_model_cost_usd_total', 'Cost of answered model calls, in dollars.', [
    'model',
  ]);
  const failures = counter('longhaul_model_failures_total', 'Failed model calls by error code.', ['code']);
  const ends = counter('longhaul_run_ends_total', 'Ends of runs by status and error code.', [
    'status',
    'code',
  ]);
  const compactions = counter('longhaul_compactions_total', 'Compactions in runs.', []);
  const models = new Set<string>();
  const ended = new Set<string>();

  const modelOf = ({ provider, model }: EventOf<'llm:response'>) => {
    const name = `${provider}/${model}`;
    if (models.size < MAX_MODELS) models.add(name);
    return models.has(name) ? name : OTHER;
  };
  const countResponse = (event: EventOf<'llm:response'>) => {
    const { tokenUsage: usage } = event;
    const model = modelOf(event);
    if (event.cost !== undefined) cost.inc({ model }, event.cost);
    if (usage === undefined) return;
    tokens.inc({ model, kind: 'input' }, usage.inputTokens);
    tokens.inc({ model, kind: 'output' }, usage.outputTokens);
    tokens.inc({ model, kind: 'cache_read' }, usage.cacheReadTokens);
  };
  // An end that could not be stored at once is reported again when it is.
  const countEnd = ({ runId, status, error, compactions: count }: EventOf<'run:finished'>) => {
    if (ended.delete(runId)) return;
    ends.inc({ status, code: error?.code ?? '' });
    compactions.inc(count);
  };
  return (event: LonghaulEvent) => {
    if (event.type === 'llm:response') countResponse(event);
    if (event.type === 'llm:error') failures.inc({ code: event.error.code });
    if (event.type !== 'run:finished') return;
    countEnd(event);
    if (event.number === undefined) ended.add(event.runId);
  };
}
