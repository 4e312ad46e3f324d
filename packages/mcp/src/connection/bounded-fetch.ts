import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { MAX_MESSAGE_BYTES } from './message-lines.ts';

/**
 * Limits what a server can send: the whole of an answer, or one line of a stream of events. A longer one fails.
 *
 * @param call Default: the global `fetch`.
 */
export function boundedFetch(call: FetchLike = fetch): FetchLike {
  return async (url, init) => {
    const response = await call(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    const body = response.body.pipeThrough(limited(isStream));
    return new Response(body, response);
  };
}

function limited(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lineStart = isStream ? chunk.lastIndexOf(0x0a) + 1 : 0;
      bytes = lineStart > 0 ? chunk.length - lineStart : bytes + chunk.length;
      if (bytes > MAX_MESSAGE_BYTES)
        controller.error(new RangeError('The server sent a message that is too long.'));
      else controller.enqueue(chunk);
    },
  });
}
