import type { IncomingMessage } from 'node:http';
import type { SseEvent } from '../wire/sse-reader.ts';
import type { RelayEnd } from './answer-relay.ts';
import { MAX_PENDING_BYTES, restOf, sourceOf } from './answer-source.ts';
import type { ClientStream } from './client-stream.ts';

/** Splits the bytes of a stream into events. */
export interface EventReader {
  /** The bytes of an incomplete event. */
  readonly pending: Buffer;
  takePending(): Buffer;
  push(chunk: Buffer): SseEvent[];
}

/** Why a stream is not passed on any further. */
export type EventEnd =
  | Exclude<RelayEnd, { kind: 'refused' }>
  | Omit<Extract<RelayEnd, { kind: 'refused' }>, 'answer' | 'rest'>;

/** What the client gets of one event, if anything. */
export interface TakenEvent {
  bytes?: Buffer | undefined;
  end?: EventEnd | undefined;
}

export interface StreamPassing {
  client: Pick<ClientStream, 'write'>;
  reader: EventReader;
  /** Called before the first bytes are written, with the headers that no longer apply. */
  begin: (without: readonly string[]) => void;
  take: (event: SseEvent) => TakenEvent;
  /** Returns the bytes for the client of a stream that ends with an incomplete event. */
  takeLast: (bytes: Buffer) => Buffer;
}

/**
 * Passes a stream on, event by event. As long as nothing must be changed, the client gets the same bytes in the same
 * chunks. Only an incomplete event waits for its end. Returns undefined at the end of a stream that could be read.
 */
export async function passStream(
  answer: IncomingMessage,
  { client, reader, begin, take, takeLast }: StreamPassing,
): Promise<RelayEnd | undefined> {
  const source = sourceOf(answer);
  const chunks = (source.stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    const bytes = next.value;
    const wasWhole = reader.pending.length === 0;
    // A stream with an unknown encoding is passed on unread.
    const events = source.isReadable ? reader.push(bytes) : [];
    const { out, end, left } = source.isReadable ? takeAll(events, take) : { out: [bytes] };
    if (reader.pending.length > MAX_PENDING_BYTES) out.push(reader.takePending());
    const isUnchanged = wasWhole && reader.pending.length === 0 && areUnchanged(out, events);
    if (out.length > 0) {
      begin(source.without);
      await client.write(isUnchanged ? bytes : Buffer.concat(out));
    }
    if (end?.kind === 'refused') {
      const rest = [...(left ?? []), reader.takePending(), ...(await restOf(answer, chunks))];
      return { ...end, answer, rest: Buffer.concat(rest) };
    }
    if (end !== undefined) return end;
  }
  begin(source.without);
  if (reader.pending.length > 0) await client.write(takeLast(reader.takePending()));
  return source.isReadable ? undefined : { kind: 'ended' };
}

interface TakenAll {
  out: Buffer[];
  end?: EventEnd;
  /** The bytes of the event that ends the stream, and of all after it. */
  left?: Buffer[];
}

function takeAll(events: readonly SseEvent[], take: StreamPassing['take']): TakenAll {
  const out: Buffer[] = [];
  for (const [index, event] of events.entries()) {
    const { bytes, end } = take(event);
    if (bytes !== undefined) out.push(bytes);
    if (end !== undefined) return { out, end, left: events.slice(index).map(({ raw }) => raw) };
  }
  return { out };
}

function areUnchanged(out: readonly Buffer[], events: readonly SseEvent[]): boolean {
  return out.length === events.length && out.every((bytes, index) => bytes === events[index]?.raw);
}
