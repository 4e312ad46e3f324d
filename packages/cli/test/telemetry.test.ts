import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasToolCall, type Script } from '@longhaul/scripted-model';
import { expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number };
}

interface OtlpMetric {
  name: string;
  unit: string;
  histogram: { dataPoints: { explicitBounds: number[]; attributes: OtlpSpan['attributes'] }[] };
}

/** A collector of OTLP over HTTP, as JSON. */
async function startCollector() {
  const bodies: { path: string; text: string }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    bodies.push({ path: request.url ?? '', text });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    all: () => bodies.map(({ text }) => text).join('\n'),
    spans: () =>
      bodies
        .filter(({ path }) => path === '/v1/traces')
        .flatMap(({ text }) => JSON.parse(text).resourceSpans)
        .flatMap((resource: { scopeSpans: { spans: OtlpSpan[] }[] }) => resource.scopeSpans)
        .flatMap((scope) => scope.spans),
    metrics: () =>
      bodies
        .filter(({ path }) => path === '/v1/metrics')
        .flatMap(({ text }) => JSON.parse(text).resourceMetrics)
        .flatMap((resource: { scopeMetrics: { metrics: OtlpMetric[] }[] }) => resource.scopeMetrics)
        .flatMap((scope) => scope.metrics),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const attributeOf = (span: Pick<OtlpSpan, 'attributes'> | undefined, key: string) =>
  Object.values(span?.attributes.find((attribute) => attribute.key === key)?.value ?? {})[0];

const script: Script = ({ messages }) =>
  hasToolCall(messages, 'bash')
    ? 'It is SECRET-ANSWER.'
    : { toolCalls: [{ name: 'bash', arguments: { command: 'echo SECRET-OUTPUT' } }] };

it('sends a run with its steps, tries and tools to a collector, without message text', async () => {
  await using collector = await startCollector();
  await using bench = await Bench.open();
  const { flags } = await bench.serve({ script, faults: { 1: { kind: 'status', status: 529 } } });
  await writeFile(bench.userFile, `telemetry: { otlp: '${collector.url}' }\n`);
  const ended = await bench.call(['run', 'SECRET-TASK', '--json', '--sandbox', 'local', '--yes', ...flags]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });

  const spans = collector.spans();
  const run = spans.find((span) => span.name === 'invoke_agent longhaul');
  const tree = spans
    .filter((span) => span !== run)
    .map((span) => [span.name, spans.find((parent) => parent.spanId === span.parentSpanId)?.name]);
  expect(run?.parentSpanId ?? '').toBe('');
  expect(tree.sort()).toEqual([
    ['chat scripted', 'step 1'],
    ['chat scripted', 'step 1'],
    ['chat scripted', 'step 2'],
    ['execute_tool bash', 'step 1'],
    ['step 1', 'invoke_agent longhaul'],
    ['step 2', 'invoke_agent longhaul'],
  ]);
  expect(new Set(spans.map((span) => span.traceId)).size).toBe(1);
  expect(attributeOf(run, 'gen_ai.provider.name')).toBe('openai-compatible');
  expect(attributeOf(run, 'gen_ai.request.model')).toBe('scripted');
  expect(attributeOf(run, 'gen_ai.conversation.id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(attributeOf(run, 'longhaul.run.status')).toBe('completed');
  expect(Number(attributeOf(run, 'gen_ai.usage.input_tokens'))).toBeGreaterThan(0);
  for (const span of spans) {
    expect(attributeOf(span, 'gen_ai.provider.name')).toBe('openai-compatible');
    expect(attributeOf(span, 'gen_ai.request.model')).toBe('scripted');
  }
  const tries = spans.filter((span) => span.name === 'chat scripted');
  expect(tries.map((span) => attributeOf(span, 'error.type') ?? 'ok').sort()).toEqual([
    'ok',
    'ok',
    'provider_overloaded',
  ]);
  const [failed] = tries.filter((span) => span.status.code === 2);
  expect(attributeOf(failed, 'error.type')).toBe('provider_overloaded');
  const conversations = spans
    .filter(({ name }) => /^(?:chat|execute_tool|invoke_agent) /.test(name))
    .map((span) => attributeOf(span, 'gen_ai.conversation.id'));
  expect(new Set(conversations)).toEqual(new Set([attributeOf(run, 'gen_ai.conversation.id')]));
  const metrics = collector.metrics();
  expect(new Set(metrics.map(({ name, unit }) => `${name} ${unit}`))).toEqual(
    new Set(['gen_ai.client.token.usage {token}', 'gen_ai.client.operation.duration s']),
  );
  const pointsOf = (wanted: string) =>
    metrics.flatMap((metric) => (metric.name === wanted ? metric.histogram.dataPoints : []));
  const labelsOf = (wanted: string, label: string) =>
    pointsOf(wanted).map((point) => attributeOf(point, label) ?? 'none');
  expect(labelsOf('gen_ai.client.token.usage', 'gen_ai.token.type').sort()).toEqual(['input', 'output']);
  expect(labelsOf('gen_ai.client.operation.duration', 'error.type').sort()).toEqual([
    'none',
    'provider_overloaded',
  ]);
  const boundsOf = (wanted: string) => pointsOf(wanted)[0]?.explicitBounds;
  expect(boundsOf('gen_ai.client.token.usage')).toMatchObject({ 0: 1, 1: 4, 13: 67_108_864, length: 14 });
  expect(boundsOf('gen_ai.client.operation.duration')).toMatchObject({ 0: 0.01, 13: 81.92, length: 14 });
  expect(collector.all()).not.toMatch(/SECRET/);
});

it('shows a compaction within its run, with its reason and savings', async () => {
  await using collector = await startCollector();
  await using bench = await Bench.open();
  const { flags } = await bench.serve({
    windowTokens: 16_000,
    script: ({ number }) =>
      number > 8
        ? 'Done.'
        : {
            toolCalls: [
              { name: 'bash', arguments: { command: `seq ${number}000 ${number}999; # ${number}` } },
            ],
          },
  });
  await writeFile(bench.userFile, `telemetry: { otlp: '${collector.url}' }\n`);
  const ended = await bench.call(['run', 'Count', '--json', '--sandbox', 'local', '--yes', ...flags]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const told = eventsOf(ended).filter((event) => event.type === 'context:compressed');
  expect(told.length).toBeGreaterThan(0);
  expect(told.map(({ beforeTokens, afterTokens }) => [beforeTokens, afterTokens])).toEqual(
    told.map(({ originalTokens, compressedTokens }) => [originalTokens, compressedTokens]),
  );
  const spans = collector.spans();
  const run = spans.find((span) => span.name === 'invoke_agent longhaul');
  const compactions = spans.filter((span) => span.name === 'compact');
  expect(compactions.map((span) => span.parentSpanId)).toEqual(told.map(() => run?.spanId));
  expect(
    compactions.map((span) => ({
      strategy: attributeOf(span, 'longhaul.compaction.strategy'),
      reason: attributeOf(span, 'longhaul.compaction.reason'),
      round: Number(attributeOf(span, 'longhaul.compaction.round')),
      originalTokens: Number(attributeOf(span, 'longhaul.compaction.tokens_before')),
      compressedTokens: Number(attributeOf(span, 'longhaul.compaction.tokens_after')),
    })),
  ).toEqual(
    told.map(({ strategy, reason, round, originalTokens, compressedTokens }) => ({
      strategy,
      reason,
      round,
      originalTokens,
      compressedTokens,
    })),
  );
});

it('continues the run with a warning if the collector cannot be reached', async () => {
  await using bench = await Bench.open();
  const { flags } = await bench.serve({ script: () => 'Done.' });
  await writeFile(bench.userFile, "telemetry: { otlp: 'http://127.0.0.1:9' }\n");
  const ended = await bench.call(['run', 'Do it', '--json', '--sandbox', 'local', ...flags]);
  expect(ended.code).toBe(0);
  expect(ended.stdout).toContain('"status":"completed"');
});
