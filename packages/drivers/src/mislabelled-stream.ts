import type { JsonValue } from '@longhaul/protocol';

/** A whole answer is read up to this size. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * Reads a response that is labelled as JSON. Some servers and proxies label their stream of events so, and some answer
 * a streamed request with a whole completion.
 *
 * @returns The stream of events, or the text if it is none.
 */
export async function readLabelledJson(response: Response): Promise<{ events: Response } | { text: string }> {
  if (response.body === null) return { text: '' };
  const { status } = response;
  const headers = { 'content-type': 'text/event-stream' };
  const reader = response.body.getReader();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const text = () => Buffer.concat(pieces).toString().trimStart();
  for (;;) {
    const { done, value } = await reader.read();
    if (value !== undefined) pieces.push(value);
    bytes += value?.length ?? 0;
    if (isEvents(text().slice(0, 16)))
      return { events: new Response(rest(pieces, reader), { status, headers }) };
    if (done || text() !== '' || bytes > MAX_ANSWER_BYTES) break;
  }
  while (bytes <= MAX_ANSWER_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    bytes += value.length;
  }
  void reader.cancel().catch(() => undefined);
  const whole = text();
  if (!isCompletion(whole)) return { text: whole };
  return { events: new Response(`data: ${oneLine(whole)}\n\ndata: [DONE]\n\n`, { status, headers }) };
}

function isEvents(beginning: string): boolean {
  return /^(?:data|event|id|retry)?:/.test(beginning);
}

function isCompletion(text: string): boolean {
  const answer = parsed(text);
  return (
    typeof answer === 'object' &&
    answer !== null &&
    !Array.isArray(answer) &&
    Array.isArray(answer['choices'])
  );
}

function oneLine(text: string): string {
  return JSON.stringify(parsed(text));
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    // The caller describes what it is.
    return null;
  }
}

function rest(
  pieces: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
