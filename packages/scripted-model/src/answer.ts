import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { type ApiError, faultError } from './api-error.ts';
import { chunksBefore, type StreamFault } from './fault.ts';
import type { Wire } from './wire/wire.ts';

export interface Delivery {
  wire: Wire;
  response: ServerResponse;
  fault: StreamFault | undefined;
  /** Delay before every chunk. */
  chunkDelayMs: number;
  /** Called with each piece of a body before it is sent. */
  onSend(data: string): void;
  /** Called after the last write, before the client can see the end. */
  beforeEnd(): void;
}

export function sendError(response: ServerResponse, error: ApiError, body: unknown = error.body): void {
  sendJson(response, error.status, body, error.headers);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Sends a stream with its fault. Resolves when the stream has ended or the client has disconnected. */
export async function streamEvents(events: readonly string[], delivery: Delivery): Promise<void> {
  const { response, fault } = delivery;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  // The last event only ends the stream.
  const before = fault === undefined ? events.length : chunksBefore(fault, events.length - 1);
  await play(events, delivery, before);
}

/** Sends an answer that is not a stream. Faults of a stream are applied to the two halves of its body. */
export async function sendWhole(answer: unknown, delivery: Delivery): Promise<void> {
  const { response, fault, chunkDelayMs } = delivery;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  const text = JSON.stringify(answer);
  const half = Math.floor(text.length / 2);
  if (fault?.kind === 'malformed-chunk') return void response.end(`${text.slice(0, half)}}{`);
  const waited = { ...delivery, chunkDelayMs: fault?.kind === 'slow' ? fault.delayMs : chunkDelayMs };
  await play([text.slice(0, half), text.slice(half)], waited, fault?.kind === 'silence' ? 0 : 1);
}

async function play(pieces: readonly string[], delivery: Delivery, before: number): Promise<void> {
  const { response, fault } = delivery;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const delayMs = fault?.kind === 'slow' ? fault.delayMs : delivery.chunkDelayMs;
    const pace = { wire: delivery.wire, response, delayMs, onSend: delivery.onSend, signal: gone.signal };
    await writeAll(pieces.slice(0, before), pace);
    const hasRest = fault === undefined || (await strike(fault, pace));
    if (hasRest) await writeAll(pieces.slice(before), pace);
    if (fault?.kind === 'cut') return;
    delivery.beforeEnd();
    response.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

interface Pace {
  wire: Wire;
  response: ServerResponse;
  delayMs: number;
  onSend: (data: string) => void;
  signal: AbortSignal;
}

async function writeAll(
  pieces: readonly string[],
  { response, delayMs, onSend, signal }: Pace,
): Promise<void> {
  for (const piece of pieces) {
    if (delayMs > 0) await delay(delayMs, undefined, { signal });
    signal.throwIfAborted();
    onSend(piece);
    if (!response.write(piece)) await once(response, 'drain', { signal });
  }
}

/** Carries out the fault. Returns whether the rest of the answer follows. */
async function strike(fault: StreamFault, { wire, response, signal }: Pace): Promise<boolean> {
  switch (fault.kind) {
    case 'slow':
      return true;
    case 'malformed-chunk':
      response.write('data: {"id":"chatcmpl-broken","choices":[{"delta":{"content":"…\n\n');
      return true;
    case 'error-event':
      response.write(wire.errorEvent(faultError({ kind: 'status', status: 500, message: fault.message })));
      return false;
    case 'clean-cut':
      return false;
    case 'cut':
      // Send the written data first, so that the client sees half of an answer instead of none.
      await setImmediate();
      response.socket?.destroySoon();
      return false;
    case 'silence':
      await once(response, 'close', { signal });
      return false;
  }
}
