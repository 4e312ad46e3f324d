import { unpackBlocks } from '../anthropic/server-blocks.ts';
import { type CallTarget, onlyForeign } from '../step-failure.ts';
import type { ProviderKind } from '../wire-profile.ts';
import { createEventMender, type EventMender, type StreamMender } from './event-mender.ts';
import { createAnthropicEventMender } from './mend-anthropic-event.ts';
import { createChatChunkMender } from './mend-chat-chunk.ts';
import { createGoogleChunkMender } from './mend-google-chunk.ts';
import { createResponsesEventMender } from './mend-responses-event.ts';

export interface MendOptions {
  kind: ProviderKind;
  target: CallTarget;
  /** See `createAnthropicEventMender`. */
  keepsCompactions: boolean;
  /** Called with each event that is not JSON and is left out, and with the signal of its request. */
  onIgnored: (text: string, signal: AbortSignal | undefined) => void;
}

/** Wraps `fetch`: mends the events of each answer before the provider's client reads them. */
export function mendedFetch(fetch: typeof globalThis.fetch, options: MendOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, options.kind === 'anthropic' ? withBlocks(init) : init);
    if (!response.ok || response.body === null) return response;
    const { status, headers } = response;
    return new Response(mendedBody(response.body, menderOf(options, init?.signal ?? undefined)), {
      status,
      headers,
    });
  };
}

function withBlocks(init: RequestInit | undefined): RequestInit | undefined {
  return typeof init?.body === 'string' ? { ...init, body: unpackBlocks(init.body) } : init;
}

function menderOf(options: MendOptions, signal: AbortSignal | undefined): EventMender {
  return createEventMender(rulesOf(options), {
    onlyForeign: (event) => onlyForeign(event, options.target),
    onIgnored: (text) => options.onIgnored(text, signal),
  });
}

function rulesOf({ kind, keepsCompactions }: MendOptions): StreamMender {
  if (kind === 'anthropic') return createAnthropicEventMender({ keepsCompactions });
  if (kind === 'openai') return createResponsesEventMender();
  return kind === 'google' ? createGoogleChunkMender() : createChatChunkMender();
}

function mendedBody(body: ReadableStream<Uint8Array>, mender: EventMender): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          const bytes = done ? mender.end() : mender.push(value);
          if (bytes.length > 0) controller.enqueue(bytes);
          if (done) return controller.close();
          if (bytes.length > 0) return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
