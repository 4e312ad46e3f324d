import type { LineWriter, ReceivedLine } from '../records/lines.ts';

/**
 * A `fetch` that writes down every piece of an answer as it reaches this process, before anyone else sees it: what is lost with the
 * process can be told from what had never arrived.
 */
export function recordingFetch(lines: LineWriter<ReceivedLine>): typeof globalThis.fetch {
  let requests = 0;
  return async (input, init) => {
    requests += 1;
    const request = requests;
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const decoder = new TextDecoder();
    const recorder = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        lines.write({
          type: 'bytes',
          at: Date.now(),
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
