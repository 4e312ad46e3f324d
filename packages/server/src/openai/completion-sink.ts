import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { LonghaulError } from '@longhaul/protocol';
import type { OpenAiOptions } from '../server-options.ts';
import type { AnswerPiece } from './answer-text.ts';
import {
  type CompletionEnd,
  type CompletionHead,
  chunkOf,
  completionOf,
  usageChunkOf,
} from './completion-wire.ts';

/** Receives an answer, and sends it in pieces as they arrive or as a whole. */
export interface CompletionSink {
  /** Starts the response. After this, a failure is sent as part of the response. */
  open(sessionId?: string): void;
  write(piece: AnswerPiece): void;
  finish(end: CompletionEnd): Response;
  /** Sends the failure as part of the response. Throws it if the response has not started. */
  fail(error: LonghaulError): Response;
}

export interface SinkOptions {
  head: CompletionHead;
  activity: OpenAiOptions['activity'];
  outgoing: ServerResponse;
  headers: Readonly<Record<string, string>>;
  errorBody: (error: LonghaulError) => object;
  heartbeatMs: number;
  maxBufferBytes: number;
  includesUsage: boolean;
}

const SESSION_HEADER = 'x-longhaul-session';

type WholeSinkOptions = Omit<SinkOptions, 'maxBufferBytes' | 'includesUsage'>;

/**
 * Collects the answer and sends it as one JSON body. If that takes long, the response starts with white space, which
 * JSON allows, so that no proxy gives up. From then on, a failure is a body with the status 200.
 */
export function wholeSink({ head, activity, outgoing, ...options }: WholeSinkOptions): CompletionSink {
  const said = { content: '', reasoning: '' };
  let session: Record<string, string> = {};
  const heartbeat = setInterval(() => {
    if (outgoing.destroyed) return;
    if (!outgoing.headersSent) {
      outgoing.on('error', () => undefined);
      const type = { 'content-type': 'application/json', 'x-accel-buffering': 'no' };
      outgoing.writeHead(200, { ...options.headers, ...type, ...session });
    }
    outgoing.write(' ');
  }, options.heartbeatMs);
  const end = (body: object) => {
    if (!outgoing.destroyed) outgoing.end(JSON.stringify(body));
    return RESPONSE_ALREADY_SENT;
  };
  return {
    open(sessionId) {
      if (sessionId !== undefined) session = { [SESSION_HEADER]: sessionId };
    },
    write({ kind, text }) {
      if (kind !== 'activity') said[kind] += text;
      else if (activity === 'reasoning') said.reasoning += text;
    },
    finish(given) {
      clearInterval(heartbeat);
      const body = completionOf(head, said, given);
      return outgoing.headersSent ? end(body) : Response.json(body, { headers: session });
    },
    fail(error) {
      clearInterval(heartbeat);
      if (!outgoing.headersSent) throw error;
      return end(options.errorBody(error));
    },
  };
}

/** Sends server-sent events in the format of the OpenAI API. A client that does not keep up is disconnected. */
export function streamSink(options: SinkOptions): CompletionSink {
  const { head, activity, outgoing, includesUsage, maxBufferBytes } = options;
  let heartbeat: NodeJS.Timeout | undefined;

  const send = (text: string) => {
    if (outgoing.destroyed || outgoing.writableEnded) return;
    outgoing.write(text);
    heartbeat?.refresh();
    if (outgoing.writableLength > maxBufferBytes) outgoing.destroy();
  };
  const event = (body: object) => send(`data: ${JSON.stringify(body)}\n\n`);
  const end = (...bodies: object[]) => {
    clearInterval(heartbeat);
    for (const body of bodies) event(body);
    if (!outgoing.destroyed) outgoing.end('data: [DONE]\n\n');
    return RESPONSE_ALREADY_SENT;
  };

  function open(sessionId?: string): void {
    if (outgoing.headersSent) return;
    // A disconnected client is not a failure. A `close` event follows.
    outgoing.on('error', () => undefined);
    outgoing.writeHead(200, {
      ...options.headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...(sessionId === undefined ? {} : { [SESSION_HEADER]: sessionId }),
    });
    heartbeat = setInterval(() => send(': still here\n\n'), options.heartbeatMs);
    event(chunkOf(head, { role: 'assistant', content: '' }));
  }

  return {
    open,
    write({ kind, text }) {
      if (kind === 'content') event(chunkOf(head, { content: text }));
      else if (kind === 'reasoning' || activity === 'reasoning')
        event(chunkOf(head, { reasoning_content: text }));
      else if (activity === 'comment') send(`: ${text.trim()}\n\n`);
    },
    finish({ finishReason, usage }) {
      open();
      return end(chunkOf(head, {}, finishReason), ...(includesUsage ? [usageChunkOf(head, usage)] : []));
    },
    fail(error) {
      if (!outgoing.headersSent) throw error;
      return end(options.errorBody(error));
    },
  };
}
