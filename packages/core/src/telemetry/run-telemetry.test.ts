import { answer, calls, playedDriver, testRun, testTool, text, usageOf } from '@longhaul/testing/doubles';
import type { Context, Meter, Span, Tracer } from '@opentelemetry/api';
import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { expect, it } from 'vitest';
import { createRunTelemetry } from './run-telemetry.ts';

interface Recorded {
  name: string;
  attributes: Attributes;
  parent: Context;
}

/** A tracer that records its spans. */
function recorder() {
  const spans: Recorded[] = [];
  const startSpan: Tracer['startSpan'] = (name, options = {}, parent = ROOT_CONTEXT): Span => {
    const recorded: Recorded = { name, attributes: { ...options.attributes }, parent };
    spans.push(recorded);
    const span = trace.wrapSpanContext({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 });
    return Object.assign(span, {
      setAttribute(key: string, value: Attributes[string]) {
        recorded.attributes[key] = value;
        return span;
      },
      setAttributes(more: Attributes) {
        Object.assign(recorded.attributes, more);
        return span;
      },
    });
  };
  return { spans, tracer: { startSpan } };
}

it('gives every span the provider, the model and the baggage, and calls their reasoning tokens', async () => {
  const { spans, tracer } = recorder();
  const baggage = propagation.createBaggage({ 'tenant.id': { value: 'blue' } });
  const active = propagation.setBaggage(ROOT_CONTEXT, baggage);
  const api = { context: Object.assign(Object.create(context), { active: () => active }) };
  const usage = { ...usageOf(100, 30), reasoningTokens: 20 };
  const look = testTool('look', () => text('seen'));
  const driver = playedDriver([calls({ callId: 'a', name: 'look', input: {} }), answer('Done.', usage)]);
  const test = await testRun(driver, [look]);
  const meter = { createHistogram: () => ({ record: () => undefined }) };
  test.runtime.subscribe(
    createRunTelemetry({
      api: { ...api, propagation, trace, SpanKind, SpanStatusCode },
      tracer: tracer as unknown as Tracer,
      meter: meter as unknown as Meter,
    }),
  );
  await test.run('go');
  expect(spans.map(({ name }) => name)).toEqual([
    'invoke_agent longhaul',
    'step 1',
    'chat test',
    'execute_tool look',
    'step 2',
    'chat test',
  ]);
  for (const { attributes, parent } of spans) {
    expect(attributes).toMatchObject({
      'gen_ai.provider.name': 'played',
      'gen_ai.request.model': 'test',
      'tenant.id': 'blue',
    });
    expect(propagation.getBaggage(parent)?.getEntry('tenant.id')?.value).toBe('blue');
  }
  expect(spans.at(-1)?.attributes).toMatchObject({
    'gen_ai.usage.output_tokens': 30,
    'gen_ai.usage.reasoning_tokens': 20,
  });
});
