import { unpackBlocks } from '../anthropic/server-blocks.ts';
import type { ProviderKind } from '../wire-profile.ts';
import { createEventMender, type EventMender } from './event-mender.ts';
import { createAnthropicEventMender } from './mend-anthropic-event.ts';
import { createChatChunkMender } from './mend-chat-chunk.ts';
import { mendGoogleChunk } from './mend-google-chunk.ts';
import { createResponsesEventMender } from './mend-responses-event.ts';

export interface MendOptions {
  kind: ProviderKind;
  /** See `createAnthropicEventMender`. */
  keepsCompactions: boolean;
}

/** Wraps `fetch`: mends the events of each answer before the provider's client reads them. */
export function mendedFetch(fetch: typeof globalThis.fetch, options: MendOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, options.kind === 'anthropic' ? withBlocks(init) : init);
    if (!response.ok || response.body === null) return response;
    const { status, headers } = response;
    return new Response(mendedBody(response.body, menderOf(options)), { status, headers });
  };
}

function withBlocks(init: RequestInit | undefined): RequestInit | undefined {
  return typeof init?.body === 'string' ? { ...init, body: unpackBlocks(init.body) } : init;
}

function menderOf({ kind, keepsCompactions }: MendOptions): EventMender {
  if (kind === 'anthropic') {
    const { mend, missingEnd } = createAnthropicEventMender({ keepsCompactions });
    return createEventMender(mend, missingEnd);
  }
  if (kind === 'openai') return createEventMender(createResponsesEventMender());
  if (kind === 'google') return createEventMender(mendGoogleChunk);
  return createEventMender(createChatChunkMender());
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
