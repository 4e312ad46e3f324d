import type { ViewMessage } from '@longhaul/context/engine';
import type { ModelDriver, StepEvent, StepRequest, ToolSchema } from '@longhaul/core';
import type { LonghaulError } from '@longhaul/protocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

/** What the server answers to the next request. */
export type ModelAnswer =
  | {
      kind: 'text';
      text: string;
      usage?: { inputTokens: number; outputTokens: number };
      /** Sent only if the wire format supports it. */
      reasoning?: { text: string; signature: string };
    }
  | { kind: 'tool-calls'; calls: { callId: string; name: string; arguments: string }[] }
  | { kind: 'http-error'; status: number; message: string; retryAfterSeconds?: number }
  /** Some text, then the socket is destroyed. */
  | { kind: 'cut-socket'; text: string }
  /** Some text, then an orderly end of the body without a finish. */
  | { kind: 'cut-clean'; text: string }
  /** Some text, a chunk that is not JSON, more text, then an orderly finish. */
  | { kind: 'malformed-chunk'; text: string }
  /** Some text, an error in the provider's form inside the stream, then an orderly end. */
  | { kind: 'stream-error'; text: string; message: string }
  /** Headers, then nothing. */
  | { kind: 'silence' };

export type ModelAnswerKind = ModelAnswer['kind'];

/** A driver and the server it talks to over HTTP. */
export interface ModelDriverHarness extends AsyncDisposable {
  /** Creates a driver for a model that accepts images and files. */
  driver(options?: { stallMs?: number; apiKey?: string }): Promise<ModelDriver>;
  /** Sets the answer to all further requests. */
  answer(answer: ModelAnswer): void;
  /** Bodies of the requests as sent, oldest first. */
  readonly requests: readonly string[];
  /** Requests whose connection the driver closed before the answer was complete. */
  readonly abandoned?: number;
}

const ONE_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const READ: ToolSchema = {
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

/**
 * Defines the tests that every driver must pass, over HTTP. `missing` names the answers that the harness's server
 * cannot give, with a reason. Their tests are skipped with that reason.
 */
export function describeModelDriver(
  name: string,
  open: () => Promise<ModelDriverHarness>,
  missing: Partial<Record<ModelAnswerKind, string>> = {},
): void {
  const start = async (answer: ModelAnswer) => {
    const harness = await open();
    onTestFinished(() => harness[Symbol.asyncDispose]());
    harness.answer(answer);
    return harness;
  };
  const testWith = (kind: ModelAnswerKind, title: string, body: () => Promise<void>) => {
    const reason = missing[kind];
    if (reason === undefined) test(title, body);
    else test.skip(`${title} (${reason})`, body);
  };

  describe(`${name} as a model driver`, () => {
    answersTests(start);
    requestTests(start);
    failureTests(start, testWith);
    cancelTests(start, testWith);
  });
}

type Start = (answer: ModelAnswer) => Promise<ModelDriverHarness>;
type TestWith = (kind: ModelAnswerKind, title: string, body: () => Promise<void>) => void;

function answersTests(start: Start): void {
  test('emits text as deltas between a start and an end, then a finish with the usage', async () => {
    const text = 'The quick brown fox jumps over the lazy dog, and the dog does not mind at all.';
    const harness = await start({ kind: 'text', text, usage: { inputTokens: 21, outputTokens: 17 } });
    const events = await collect(await harness.driver(), ask('Hello'));
    expect(textOf(events)).toBe(text);
    expect(events.filter((event) => event.type === 'text-start')).toHaveLength(1);
    expect(events.filter((event) => event.type === 'text-end')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      finishReason: 'stop',
      usage: { inputTokens: 21, outputTokens: 17, totalTokens: 38 },
    });
  });

  test('emits parallel calls in order with ids and parsed arguments, and finishes for tool calls', async () => {
    const calls = [
      { callId: 'call_a', name: 'read', arguments: '{"path":"a.txt"}' },
      { callId: 'call_b', name: 'read', arguments: '{"path":"b.txt"}' },
    ];
    const harness = await start({ kind: 'tool-calls', calls });
    const events = await collect(await harness.driver(), ask('Read both.', [READ]));
    const called = callsIn(events);
    expect(called.map((event) => event.input)).toEqual([{ path: 'a.txt' }, { path: 'b.txt' }]);
    expect(new Set(called.map((event) => event.callId)).size).toBe(2);
    expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' });
  });

  test('announces every call before its arguments, under the same id', async () => {
    const harness = await start({
      kind: 'tool-calls',
      calls: [{ callId: 'call_a', name: 'read', arguments: '{"path":"a.txt"}' }],
    });
    const events = await collect(await harness.driver(), ask('Read.', [READ]));
    const [call] = callsIn(events);
    const started = events.findIndex(
      (event) => event.type === 'tool-input-start' && event.callId === call?.callId,
    );
    expect(started).toBeGreaterThanOrEqual(0);
    expect(started).toBeLessThan(events.findIndex((event) => event.type === 'tool-call'));
  });

  test('passes on a call of an unknown tool', async () => {
    const harness = await start({
      kind: 'tool-calls',
      calls: [{ callId: 'call_a', name: 'rm', arguments: '{}' }],
    });
    const events = await collect(await harness.driver(), ask('Delete.', [READ]));
    expect(callsIn(events)).toMatchObject([{ name: 'rm', input: {} }]);
  });
}

function requestTests(start: Start): void {
  test('sends the system text, the tool schemas and the output limit', async () => {
    const harness = await start({ kind: 'text', text: 'ok' });
    await collect(await harness.driver(), { ...ask('Hi', [READ]), maxOutputTokens: 1234 });
    const [sent = ''] = harness.requests;
    for (const piece of ['You are terse.', 'Reads a file.', '1234']) expect(sent).toContain(piece);
  });

  test('sends calls with their results, error results included', async () => {
    const harness = await start({ kind: 'text', text: 'ok' });
    await collect(await harness.driver(), { ...ask('go', [READ]), messages: conversation() });
    const [sent = ''] = harness.requests;
    for (const piece of ['first result', 'no such file', 'a.txt', 'b.txt']) expect(sent).toContain(piece);
  });

  test('sends images of a user and of a tool', async () => {
    const harness = await start({ kind: 'text', text: 'ok' });
    const image = { type: 'image' as const, data: ONE_PIXEL };
    const messages: ViewMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'Look.' }, image] },
      {
        role: 'assistant',
        content: [
          {
            type: 'tool',
            callId: 'call_a',
            name: 'read',
            input: { path: 'a.png' },
            output: [image],
            isError: false,
          },
        ],
      },
    ];
    await collect(await harness.driver(), { ...ask('', [READ]), messages });
    expect(harness.requests[0]?.split(ONE_PIXEL)).toHaveLength(3);
  });

  test('leaves out an assistant message without content', async () => {
    const harness = await start({ kind: 'text', text: 'ok' });
    const messages: ViewMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: '' }] },
      { role: 'user', content: [{ type: 'text', text: 'Still there?' }] },
    ];
    const events = await collect(await harness.driver(), { ...ask(''), messages });
    expect(events.at(-1)).toMatchObject({ type: 'finish' });
    expect(harness.requests[0]).not.toMatch(/"role":"(assistant|model)"/);
  });
}

function failureTests(start: Start, testWith: TestWith): void {
  test('maps 401 to provider_auth, without the key in the message', async () => {
    const harness = await start({ kind: 'http-error', status: 401, message: 'bad key sk-very-secret-key' });
    const driver = await harness.driver({ apiKey: 'sk-very-secret-key' });
    const error = await failure(driver, ask('Hi'));
    expect(error.code).toBe('provider_auth');
    expect(JSON.stringify(error.toShape())).not.toContain('sk-very-secret-key');
  });

  test('maps 429 to provider_rate_limit with the time to wait, and does not retry', async () => {
    const harness = await start({
      kind: 'http-error',
      status: 429,
      message: 'slow down',
      retryAfterSeconds: 7,
    });
    const error = await failure(await harness.driver(), ask('Hi'));
    expect(error).toMatchObject({ code: 'provider_rate_limit', data: { retryAfterMs: 7000 } });
    expect(harness.requests).toHaveLength(1);
  });

  test('maps a refused connection to provider_unreachable', async () => {
    const harness = await start({ kind: 'text', text: 'ok' });
    const driver = await harness.driver();
    await harness[Symbol.asyncDispose]();
    expect((await failure(driver, ask('Hi'))).code).toBe('provider_unreachable');
  });

  for (const kind of ['cut-socket', 'cut-clean'] as const) {
    testWith(kind, `maps a stream that ends without a finish (${kind}) to provider_stream_cut`, async () => {
      const harness = await start({ kind, text: 'half an answ' });
      expect((await failure(await harness.driver(), ask('Hi'))).code).toBe('provider_stream_cut');
    });
  }

  testWith(
    'malformed-chunk',
    'fails the step on a malformed chunk, even if the stream finishes',
    async () => {
      const harness = await start({ kind: 'malformed-chunk', text: 'hole' });
      expect((await failure(await harness.driver(), ask('Hi'))).code).toBe('provider_bad_response');
    },
  );

  testWith('stream-error', 'maps an error inside the stream like an error with an HTTP status', async () => {
    const message = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.";
    const harness = await start({ kind: 'stream-error', text: 'so far', message });
    expect((await failure(await harness.driver(), ask('Hi'))).code).toBe('context_overflow');
  });
}

function cancelTests(start: Start, testWith: TestWith): void {
  test('sends nothing with an aborted signal, and ends with cancelled', async () => {
    const harness = await start({ kind: 'text', text: 'ok' });
    const request = { ...ask('Hi'), signal: AbortSignal.abort() };
    expect((await failure(await harness.driver(), request)).code).toBe('cancelled');
    expect(harness.requests).toHaveLength(0);
  });

  test('ends the stream with cancelled on an abort between two events', async () => {
    const harness = await start({ kind: 'text', text: 'one two three four five six seven eight nine ten' });
    const controller = new AbortController();
    const events: StepEvent[] = [];
    for await (const event of (await harness.driver()).step({ ...ask('Hi'), signal: controller.signal })) {
      events.push(event);
      if (event.type === 'text-delta') controller.abort();
    }
    const afterAbort = events.slice(events.findIndex((event) => event.type === 'text-delta') + 1);
    expect(afterAbort).toMatchObject([{ type: 'error', error: { code: 'cancelled' } }]);
  });

  testWith('silence', 'stops waiting for a silent server on abort', async () => {
    const harness = await start({ kind: 'silence' });
    const controller = new AbortController();
    const running = failure(await harness.driver({ stallMs: 0 }), {
      ...ask('Hi'),
      signal: controller.signal,
    });
    await until(() => harness.requests.length === 1);
    controller.abort();
    expect((await running).code).toBe('cancelled');
    if (harness.abandoned !== undefined) await until(() => harness.abandoned === 1);
  });

  testWith(
    'silence',
    'maps silence longer than stallMs to provider_timeout, and closes the request',
    async () => {
      const harness = await start({ kind: 'silence' });
      // The clock is stopped until the server has the request.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      onTestFinished(() => void vi.useRealTimers());
      const failing = failure(await harness.driver({ stallMs: 50 }), ask('Hi'));
      await until(() => harness.requests.length === 1);
      const passing = setInterval(() => vi.advanceTimersByTime(10), 1);
      expect((await failing).code).toBe('provider_timeout');
      clearInterval(passing);
      if (harness.abandoned !== undefined) await until(() => harness.abandoned === 1);
    },
  );
}

function ask(text: string, tools: ToolSchema[] = []): StepRequest {
  return {
    system: 'You are terse.',
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    tools,
    signal: new AbortController().signal,
  };
}

function conversation(): ViewMessage[] {
  const call = (callId: string, path: string) => ({
    type: 'tool' as const,
    callId,
    name: 'read',
    input: { path },
  });
  return [
    { role: 'user', content: [{ type: 'text', text: 'Read both.' }] },
    {
      role: 'assistant',
      content: [
        { ...call('call_a', 'a.txt'), output: [{ type: 'text', text: 'first result' }], isError: false },
        { ...call('call_b', 'b.txt'), output: [{ type: 'text', text: 'no such file' }], isError: true },
      ],
    },
  ];
}

/** Collects all events. Checks that the last one, and no other, is terminal. */
async function collect(driver: ModelDriver, request: StepRequest): Promise<StepEvent[]> {
  const events: StepEvent[] = [];
  for await (const event of driver.step(request)) events.push(event);
  const isTerminal = (event: StepEvent) => event.type === 'finish' || event.type === 'error';
  expect(events.findIndex(isTerminal)).toBe(events.length - 1);
  return events;
}

async function failure(driver: ModelDriver, request: StepRequest): Promise<LonghaulError> {
  const last = (await collect(driver, request)).at(-1);
  if (last?.type !== 'error') throw new Error(`Expected an error event, got ${JSON.stringify(last)}.`);
  return last.error;
}

function textOf(events: readonly StepEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
}

function callsIn(events: readonly StepEvent[]) {
  return events.filter((event) => event.type === 'tool-call');
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
