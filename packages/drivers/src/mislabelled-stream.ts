import { readWhole } from '@longhaul/models';
import { parseJson } from '@longhaul/protocol';
import { eventsOf } from './whole-answer.ts';

/** A whole answer is read up to this size. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** The longest beginning of an event, `event:`, is shorter. */
const BEGINNING = 16;

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
  const { isStream, body } = await peek(response.body);
  if (isStream) return { events: new Response(body, { status, headers }) };
  const text = (await readWhole(new Response(body), MAX_ANSWER_BYTES)).trimStart();
  const events = eventsOf(parseJson(text));
  if (events === undefined) return { text };
  const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return { events: new Response(`${lines.join('')}data: [DONE]\n\n`, { status, headers }) };
}

function isEvents(beginning: string): boolean {
  return /^(?:data|event|id|retry)?:/.test(beginning);
}

/** Reads until it is clear whether a body is a stream of events. The returned body begins with what was read. */
async function peek(
  source: ReadableStream<Uint8Array>,
): Promise<{ isStream: boolean; body: ReadableStream<Uint8Array> }> {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let beginning = '';
  while (!isEvents(beginning) && beginning.length < BEGINNING && bytes < MAX_ANSWER_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    bytes += value.length;
    beginning = (beginning + decoder.decode(value, { stream: true })).trimStart();
  }
  return { isStream: isEvents(beginning), body: continued(pieces, reader) };
}

function continued(
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
