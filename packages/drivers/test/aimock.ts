import { LLMock } from '@copilotkit/aimock';
import type { CallSettings } from '@longhaul/models';
import type { ModelAnswer, ModelDriverHarness } from '@longhaul/testing/contracts';
import { createModelDriver } from '../src/model-driver.ts';
import type { ProviderKind } from '../src/wire-profile.ts';
import { type RawAnswer, startChatServer, startStream } from './chat-server.ts';
import { MODEL_INFO } from './drive.ts';
import { HOSTED_STREAMS, type HostedStream } from './hosted-streams.ts';

export interface AimockHarnessOptions {
  kind: Extract<ProviderKind, 'anthropic' | 'openai' | 'google'>;
  model: string;
  /** Path of the API below the mock's address. */
  path: string;
  settings?: CallSettings;
}

/**
 * Creates a driver against aimock, which implements the provider's wire format over HTTP. A second server sends the
 * answers that aimock cannot play, byte by byte from `hosted-streams.ts`.
 */
export async function openAimock({
  kind,
  model,
  path,
  settings,
}: AimockHarnessOptions): Promise<ModelDriverHarness> {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  await mock.start();
  const faults = await startChatServer();
  let isFault = false;
  const requests: string[] = [];
  // Records the request as sent: the mock's journal contains a normalised form.
  const fetch: typeof globalThis.fetch = (input, init) => {
    if (typeof init?.body === 'string') requests.push(init.body);
    return globalThis.fetch(isFault ? faults.url : input, init);
  };
  let isRunning = true;
  return {
    driver: (options = {}) =>
      createModelDriver({
        kind,
        provider: kind,
        model,
        baseUrl: `${mock.url}${path}`,
        apiKey: 'test-key',
        info: { ...MODEL_INFO, provider: kind, model },
        fetch,
        settings,
        ...options,
      }),
    answer(answer) {
      const fault = toFault(answer, HOSTED_STREAMS[kind]);
      isFault = fault !== undefined;
      if (fault !== undefined) return faults.answer(fault);
      mock.clearFixtures();
      mock.on({ predicate: () => true }, toFixture(answer), toOptions(answer));
    },
    requests,
    async [Symbol.asyncDispose]() {
      if (!isRunning) return;
      isRunning = false;
      await Promise.all([mock.stop(), faults[Symbol.asyncDispose]()]);
    },
  };
}

/** Returns the answer for the second server, or undefined if aimock can play it. */
function toFault(answer: ModelAnswer, stream: HostedStream): RawAnswer | undefined {
  if (answer.kind === 'cut-clean') return streamOf(stream.begin(answer.text));
  if (answer.kind === 'stream-error')
    return streamOf(stream.begin(answer.text) + stream.error(answer.message));
  if (answer.kind !== 'malformed-chunk') return undefined;
  return streamOf(`${stream.begin(answer.text)}data: {"type": [\n\n${stream.end}`);
}

function streamOf(text: string): RawAnswer {
  return (response) => {
    startStream(response);
    response.end(text);
  };
}

function toOptions(answer: ModelAnswer) {
  // The pause lets written data leave before the socket is destroyed.
  if (answer.kind === 'cut-socket') return { truncateAfterChunks: 5, chunkSize: 4, latency: 2 };
  // No chunk arrives before any test times out.
  if (answer.kind === 'silence') return { latency: 600_000 };
  return { chunkSize: 8 };
}

function toFixture(answer: ModelAnswer) {
  switch (answer.kind) {
    case 'text':
      return {
        content: answer.text,
        ...(answer.reasoning === undefined
          ? {}
          : { reasoning: answer.reasoning.text, reasoningSignature: answer.reasoning.signature }),
        ...usageOf(answer.usage),
      };
    case 'tool-calls':
      return {
        toolCalls: answer.calls.map((call) => ({
          name: call.name,
          arguments: call.arguments,
          id: call.callId,
        })),
      };
    case 'http-error':
      return {
        error: { message: answer.message },
        status: answer.status,
        retryAfter: answer.retryAfterSeconds,
      };
    case 'cut-socket':
    case 'silence':
      return { content: 'text' in answer ? answer.text.repeat(20) : 'never' };
    default:
      throw new Error(`aimock cannot answer with ${answer.kind}.`);
  }
}

/** The mock reads each provider's own field names. */
function usageOf(usage: { inputTokens: number; outputTokens: number } | undefined) {
  if (usage === undefined) return {};
  const { inputTokens, outputTokens } = usage;
  return {
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
    },
  };
}
