import type { LineWriter, ReceivedLine } from '../records/lines.ts';
import { trueTime } from '../records/true-time.ts';

/**
 * Returns a `fetch` that records each request before it leaves, and every piece of a response as it reaches this
 * process, before any other code sees it. The records distinguish text that was lost with the process from text that never arrived.
 */
export function recordingFetch(lines: LineWriter<ReceivedLine>): typeof globalThis.fetch {
  let requests = 0;
  return async (input, init) => {
    requests += 1;
    const request = requests;
    lines.write({ type: 'asked', at: trueTime(), request });
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const decoder = new TextDecoder();
    const recorder = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        lines.write({
          type: 'bytes',
          at: trueTime(),
          request,
          data: decoder.decode(chunk, { stream: true }),
        });
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(recorder), { status, statusText, headers });
  };
}
