import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { decoderFor, isEncoded } from '../http/decode.ts';

/** An incomplete event of this size is passed on. */
export const MAX_PENDING_BYTES = 4 << 20;
/** How long to wait for the end of a stream after an error event. A server may keep the connection open. */
const REST_MS = 1_000;

/** The stream of an answer, decompressed if possible. */
export interface AnswerSource {
  stream: Readable;
  /** False for an unknown encoding. */
  isReadable: boolean;
  /** Headers that no longer apply. */
  without: readonly string[];
}

/** Decompresses a stream so that its events can be read. */
export function sourceOf(answer: IncomingMessage): AnswerSource {
  const encoding = answer.headers['content-encoding'];
  if (!isEncoded(encoding)) return { stream: answer, isReadable: true, without: [] };
  const decoder = decoderFor(encoding);
  if (decoder === undefined) return { stream: answer, isReadable: false, without: [] };
  // Reading from the decoder throws the pipeline's errors.
  return { stream: pipeline(answer, decoder, () => {}), isReadable: true, without: ['content-encoding'] };
}

/** Reads the rest of a stream after an error event, for at most `REST_MS` and about `MAX_PENDING_BYTES`. */
export async function restOf(answer: IncomingMessage, chunks: AsyncIterator<Buffer>): Promise<Buffer[]> {
  const timer = setTimeout(() => answer.destroy(), REST_MS);
  const rest: Buffer[] = [];
  let size = 0;
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      rest.push(next.value);
      size += next.value.length;
      if (size > MAX_PENDING_BYTES) break;
    }
  } catch {
    // The error event says more than the broken connection.
  } finally {
    clearTimeout(timer);
  }
  return rest;
}
