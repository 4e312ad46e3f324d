import { setTimeout as sleep } from 'node:timers/promises';
import { createApprovers } from '@longhaul/approvals';
import type { RuntimeOptions, StepEvent, StepRequest } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { pieces, startTestServer, type TestServer } from '../test-server.ts';

const publish: RuntimeOptions['tools'][number] = {
  name: 'publish',
  schema: { name: 'publish', description: 'publishes', parameters: { type: 'object', properties: {} } },
  parse: (input) => ({ ok: true, input }),
  execute: async () => ({ content: [{ type: 'text', text: 'published '.repeat(200) }] }),
};

/** Answers by the first word of the newest message: with text, a call that needs approval, a failure or slowly. */
async function* play(text: string, { messages, signal }: StepRequest): AsyncGenerator<StepEvent> {
  const isAnswered = messages.at(-1)?.role !== 'user';
  if (text.includes('fail') && !isAnswered) {
    const error = new LonghaulError('provider_bad_request', 'The model refused the request.');
    return yield { type: 'error', error };
  }
  if (text.includes('call') && !isAnswered) {
    yield { type: 'tool-call', callId: `c${messages.length}`, name: 'publish', input: { text: 'x' } };
    return yield { type: 'finish', finishReason: 'tool-calls' };
  }
  const pause = text.includes('slow')
    ? () => sleep(5, undefined, { signal }).catch(() => undefined)
    : undefined;
  yield* pieces('done '.repeat(20), { size: 20, ...(pause === undefined ? {} : { pause }) });
}

/** Starts the real server on a real database, with a model whose runs call tools, wait for approval, and fail. */
export function startFuzzServer(): Promise<TestServer> {
  return startTestServer({
    play,
    limits: { jsonBytes: 100_000, uploadBytes: 200_000 },
    run: {
      tools: [publish],
      retry: { attempts: 1, totalMs: 1_000 },
      approverFor: createApprovers({
        rules: [{ tool: '*', action: 'ask' }],
        ask: 'wait',
        timeoutMs: null,
      }),
    },
  });
}
