import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import type { ObservedUsage } from '../compaction/types.ts';
import { isEncoded } from '../http/decode.ts';
import type { RawHeaders } from '../http/headers.ts';
import type { ClientStream } from '../proxy/client-stream.ts';
import { isRecord } from '../wire/is-record.ts';
import { SseReader } from '../wire/sse-reader.ts';
import type { Way } from './way.ts';

export interface WayRelay {
  way: Way;
  client: ClientStream;
  headers: RawHeaders;
  signal: AbortSignal;
}

export type WayEnd =
  | { kind: 'ended'; usage: ObservedUsage | undefined }
  /** The first event is an error. Nothing has been sent. */
  | { kind: 'refused'; data: string; passOn: () => Promise<void> };

/** Passes a stream on in the same bytes and chunks, and reads the usage in it. */
export async function relayWay(answer: IncomingMessage, relay: WayRelay): Promise<WayEnd> {
  const { way, client, headers, signal } = relay;
  const reader = eventReader(answer);
  const isReadable = !isEncoded(answer.headers['content-encoding']);
  const begin = () => client.begin(answer, { without: ['content-length'], add: headers });
  let usage: Partial<ObservedUsage> = {};
  let isFirst = true;
  const chunks = (answer as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    const bytes = next.value;
    for (const data of isReadable ? reader(bytes) : []) {
      const json = parse(data);
      if (json === undefined) continue;
      if (isFirst && (json['type'] === 'error' || typeof json['error'] === 'string')) {
        const passOn = async () => {
          begin();
          await client.write(bytes);
          for (let rest = await chunks.next(); rest.done !== true; rest = await chunks.next())
            await client.write(rest.value);
          client.end();
        };
        return { kind: 'refused', data, passOn };
      }
      isFirst = false;
      usage = { ...usage, ...way.usageOf(json) };
    }
    begin();
    await client.write(bytes);
    if (signal.aborted) break;
  }
  begin();
  client.end();
  return { kind: 'ended', usage: observed(usage) };
}

/** Returns a function that splits the bytes of a stream into the data of its events: those of SSE, or lines of JSON. */
function eventReader({ headers }: IncomingMessage): (bytes: Buffer) => string[] {
  if (/event-stream/.test(headers['content-type'] ?? '')) {
    const reader = new SseReader();
    return (bytes) => reader.push(bytes).flatMap(({ data }) => data ?? []);
  }
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return (bytes) => {
    const lines = (rest + decoder.write(bytes)).split('\n');
    rest = lines.pop() ?? '';
    return lines;
  };
}

/** Returns the usage in a whole answer. */
export function usageIn(way: Way, text: string): ObservedUsage | undefined {
  const json = parse(text);
  return json === undefined ? undefined : observed(way.usageOf(json) ?? {});
}

function observed({ promptTokens, completionTokens }: Partial<ObservedUsage>): ObservedUsage | undefined {
  return promptTokens === undefined ? undefined : { promptTokens, completionTokens };
}

function parse(data: string): Record<string, unknown> | undefined {
  if (!data.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return isRecord(value) ? value : undefined;
  } catch {
    // The client gets the bytes and reports the error itself.
    return undefined;
  }
}
