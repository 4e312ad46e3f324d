import type { EventOf, LonghaulEvent } from '@longhaul/protocol';
import type { Attributes, Context, Histogram, Meter, Span, Tracer } from '@opentelemetry/api';
import type { EventListener } from '../session/events/event-hub.ts';
import { modelAttributes, usageAttributes } from './attributes.ts';

/** The OpenTelemetry API. It is passed in, so that it is loaded only for tracing. */
export type TelemetryApi = Pick<
  typeof import('@opentelemetry/api'),
  'context' | 'propagation' | 'SpanKind' | 'SpanStatusCode' | 'trace'
>;

/** Where spans and metrics of runs go. */
export interface RunTelemetryOptions {
  api: TelemetryApi;
  tracer: Tracer;
  meter: Meter;
}

/**
 * Creates a listener that turns a runtime's events into spans and metrics, by OpenTelemetry's semantic conventions for
 * generative AI. The span of a run (`invoke_agent`) contains its steps and compactions. A step contains its model calls
 * (`chat`, one span per try) and its tools (`execute_tool`). All have the provider and model, and the baggage of the
 * context in which the run started. Spans and metrics contain no prompts, answers, arguments
 * or outputs.
 *
 * @example runtime.subscribe(createRunTelemetry({ api, tracer, meter }));
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
export function createRunTelemetry(options: RunTelemetryOptions): EventListener {
  const instruments = {
    tokens: options.meter.createHistogram('gen_ai.client.token.usage', {
      unit: '{token}',
      description: 'Tokens of a model call.',
      advice: { explicitBucketBoundaries: powers(4, { from: 1, count: 14 }) },
    }),
    duration: options.meter.createHistogram('gen_ai.client.operation.duration', {
      unit: 's',
      description: 'Duration of a model call.',
      advice: { explicitBucketBoundaries: powers(2, { from: 0.01, count: 14 }) },
    }),
  };
  const runs = new Map<string, RunTrace>();
  return (event) => {
    if (event.type === 'run:started') {
      runs.get(event.sessionId)?.end(event.at);
      runs.set(event.sessionId, new RunTrace(event, { ...options, ...instruments }));
      return;
    }
    runs.get(event.sessionId)?.take(event);
    if (event.type === 'run:finished') runs.delete(event.sessionId);
  };
}

/**
 * Returns the bucket boundaries of the conventions. With the default boundaries, all calls between 10 and 25
 * seconds share a bucket, and so do all calls of more than 10,000 tokens.
 */
function powers(base: number, { from, count }: { from: number; count: number }): number[] {
  return Array.from({ length: count }, (_, exponent) => from * base ** exponent);
}

interface TraceOptions extends RunTelemetryOptions {
  tokens: Histogram;
  duration: Histogram;
}

interface OpenSpan {
  span: Span;
  /** Parent context for child spans. */
  context: Context;
  startedAt: number;
}

class RunTrace {
  readonly #options: TraceOptions;
  readonly #model: string;
  /** Of every span. */
  readonly #common: Attributes;
  readonly #conversation: { 'gen_ai.conversation.id': string };
  readonly #run: OpenSpan;
  #step: OpenSpan | undefined;
  #call: OpenSpan | undefined;
  #compaction: OpenSpan | undefined;
  #steps = 0;

  constructor({ sessionId, runId, model, at }: EventOf<'run:started'>, options: TraceOptions) {
    this.#options = options;
    this.#model = model;
    this.#conversation = { 'gen_ai.conversation.id': sessionId };
    const parent = options.api.context.active();
    this.#common = { ...baggageIn(parent, options.api), ...modelAttributes(model) };
    this.#run = this.#open('invoke_agent longhaul', { at, parent });
    this.#run.span.setAttributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'longhaul',
      ...this.#conversation,
      'longhaul.run.id': runId,
    });
  }

  take(event: LonghaulEvent): void {
    if (event.type === 'llm:thinking') this.#startStep(event);
    else if (event.type === 'llm:response') this.#onResponse(event);
    else if (event.type === 'llm:error') this.#onError(event);
    else if (event.type === 'llm:retry') this.#onRetry(event);
    else if (event.type === 'session:status') this.#onStatus(event);
    else if (event.type === 'llm:tool-result') this.#onToolResult(event);
    else if (event.type === 'context:compressed') this.#onCompressed(event);
    else if (event.type === 'run:finished') this.#onFinished(event);
  }

  /** Ends all open spans. */
  end(at: number): void {
    for (const open of [this.#call, this.#compaction, this.#step, this.#run]) open?.span.end(new Date(at));
    this.#call = undefined;
    this.#compaction = undefined;
    this.#step = undefined;
  }

  #open(name: string, { at, parent, kind }: { at: number; parent: Context; kind?: number }): OpenSpan {
    const { api, tracer } = this.#options;
    const span = tracer.startSpan(
      name,
      { startTime: new Date(at), kind: kind ?? api.SpanKind.INTERNAL, attributes: this.#common },
      parent,
    );
    return { span, context: api.trace.setSpan(parent, span), startedAt: at };
  }

  #startStep({ at }: { at: number }): void {
    this.#endStep(at);
    this.#steps += 1;
    this.#step = this.#open(`step ${this.#steps}`, { at, parent: this.#run.context });
    this.#step.span.setAttribute('longhaul.step', this.#steps);
    this.#startCall(at);
  }

  #endStep(at: number): void {
    this.#call?.span.end(new Date(at));
    this.#call = undefined;
    this.#step?.span.end(new Date(at));
    this.#step = undefined;
  }

  #startCall(at: number): void {
    const parent = this.#step?.context ?? this.#run.context;
    const name = `chat ${this.#common['gen_ai.request.model']}`;
    this.#call = this.#open(name, { at, parent, kind: this.#options.api.SpanKind.CLIENT });
    this.#call.span.setAttributes({ 'gen_ai.operation.name': 'chat', ...this.#conversation });
  }

  #onResponse({ at, finishReason, tokenUsage, cost }: EventOf<'llm:response'>): void {
    const call = this.#call;
    if (call === undefined) return;
    call.span.setAttributes({
      'gen_ai.response.finish_reasons': [finishReason],
      ...(tokenUsage === undefined ? {} : usageAttributes(tokenUsage)),
      ...(cost === undefined ? {} : { 'longhaul.cost_usd': cost }),
    });
    const labels = { 'gen_ai.operation.name': 'chat', ...modelAttributes(this.#model) };
    this.#options.duration.record((at - call.startedAt) / 1_000, labels);
    if (tokenUsage !== undefined) {
      const { tokens } = this.#options;
      tokens.record(tokenUsage.inputTokens, { ...labels, 'gen_ai.token.type': 'input' });
      tokens.record(tokenUsage.outputTokens, { ...labels, 'gen_ai.token.type': 'output' });
    }
    call.span.end(new Date(at));
    this.#call = undefined;
  }

  #onError({ at, error }: EventOf<'llm:error'>): void {
    const call = this.#call;
    if (call === undefined) return;
    this.#markFailed(call.span, error);
    const labels = {
      'gen_ai.operation.name': 'chat',
      ...modelAttributes(this.#model),
      'error.type': error.code,
    };
    this.#options.duration.record((at - call.startedAt) / 1_000, labels);
    call.span.end(new Date(at));
    this.#call = undefined;
  }

  #onRetry({ at, attempt, delayMs }: EventOf<'llm:retry'>): void {
    this.#step?.span.addEvent('retry', { attempt, delay_ms: delayMs }, new Date(at));
  }

  #onStatus({ at, status }: EventOf<'session:status'>): void {
    if (status === 'compacting') {
      this.#compaction = this.#open('compact', { at, parent: this.#run.context });
      return;
    }
    if (status !== 'busy') return;
    this.#compaction?.span.end(new Date(at));
    if (this.#compaction === undefined && this.#step !== undefined && this.#call === undefined)
      this.#startCall(at);
    this.#compaction = undefined;
  }

  #onCompressed(event: EventOf<'context:compressed'>): void {
    this.#compaction?.span.setAttributes({
      'longhaul.compaction.strategy': event.strategy,
      'longhaul.compaction.reason': event.reason,
      'longhaul.compaction.round': event.round,
      'longhaul.compaction.tokens_before': event.originalTokens,
      'longhaul.compaction.tokens_after': event.compressedTokens,
    });
  }

  #onToolResult({ at, callId, toolName, success, durationMs = 0 }: EventOf<'llm:tool-result'>): void {
    const parent = this.#step?.context ?? this.#run.context;
    const { span } = this.#open(`execute_tool ${toolName}`, { at: at - durationMs, parent });
    span.setAttributes({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolName,
      'gen_ai.tool.call.id': callId,
      'gen_ai.tool.type': 'function',
      ...this.#conversation,
    });
    if (!success) this.#markFailed(span, { code: 'tool_error' });
    span.end(new Date(at));
  }

  #onFinished({
    at,
    status,
    stepCount,
    usage,
    cost,
    error,
    continuationAsks = 0,
  }: EventOf<'run:finished'>): void {
    this.#run.span.setAttributes({
      'longhaul.run.status': status,
      'longhaul.run.steps': stepCount,
      'longhaul.run.continuation_asks': continuationAsks,
      ...usageAttributes(usage),
      ...(cost === undefined ? {} : { 'longhaul.cost_usd': cost }),
    });
    if (error !== undefined) this.#markFailed(this.#run.span, error);
    this.end(at);
  }

  /** Sets the error code only, because messages may quote the provider. */
  #markFailed(span: Span, { code }: { code: string }): void {
    span.setAttribute('error.type', code);
    span.setStatus({ code: this.#options.api.SpanStatusCode.ERROR, message: code });
  }
}

/** Returns the entries of W3C baggage as attributes, by their own names, as OpenTelemetry's baggage processors do. */
function baggageIn(context: Context, { propagation }: Pick<TelemetryApi, 'propagation'>): Attributes {
  const entries = propagation.getBaggage(context)?.getAllEntries() ?? [];
  return Object.fromEntries(entries.map(([name, { value }]) => [name, value]));
}
