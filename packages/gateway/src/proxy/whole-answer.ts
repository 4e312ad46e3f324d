import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ObservedUsage } from '../compaction/types.ts';
import { decodeWhole } from '../http/decode.ts';
import { readBody } from '../http/read-body.ts';
import { isRecord } from '../wire/is-record.ts';
import { observedUsage } from './chunk-facts.ts';
import { writeHead } from './forward.ts';

/** An answer that is not a stream, or an error. */
export interface WholeAnswer {
  status: number;
  /** As received. */
  bytes: Buffer;
  /** The decompressed text. Empty if it cannot be decoded. */
  text: string;
  /** An error status, or an error instead of an answer: some servers send one with status 200. */
  isFailure: boolean;
  isHtml: boolean;
  usage: ObservedUsage | undefined;
  head: IncomingMessage;
  /** Headers that do not apply to `bytes`. */
  without: readonly string[];
  /** Returns the upstream's error as the body of a stream event, converted to OpenAI's shape if needed. */
  asErrorEvent(): object;
}

/** Reads an answer completely before anything is passed on, since it may be a reason to send the request again. */
export async function readWhole(head: IncomingMessage, maxBytes: number): Promise<WholeAnswer> {
  const bytes = await readBody(head, maxBytes).finally(() => head.destroy());
  const plain = await decodeWhole(bytes, head.headers['content-encoding'], maxBytes);
  const text = plain?.toString('utf8') ?? '';
  const json = parse(text);
  return {
    status: head.statusCode ?? 502,
    bytes,
    text,
    isFailure: (head.statusCode ?? 502) >= 400 || isErrorBody(json),
    isHtml: /html/.test(head.headers['content-type'] ?? '') || /^\s*<(?:!doctype|html)/i.test(text),
    usage: isRecord(json) ? observedUsage(json['usage']) : undefined,
    head,
    without: [],
    asErrorEvent: () => errorEventOf(json, text),
  };
}

export function sendWhole(
  response: ServerResponse,
  { head, bytes, without }: WholeAnswer,
  add: readonly string[],
): void {
  writeHead(response, head, { without, add });
  response.end(bytes);
}

function isErrorBody(json: unknown): boolean {
  if (!isRecord(json) || json['choices'] !== undefined) return false;
  return isRecord(json['error']) || typeof json['error'] === 'string';
}

function errorEventOf(json: unknown, text: string): object {
  const error = isRecord(json) ? json['error'] : undefined;
  if (isRecord(error)) return { error };
  const message = typeof error === 'string' ? error : text.slice(0, 500);
  return { error: { message, type: 'upstream_error', param: null, code: null } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON. It is passed on unchanged.
    return undefined;
  }
}
