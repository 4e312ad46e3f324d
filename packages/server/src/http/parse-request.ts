import type { IncomingMessage } from 'node:http';
import { assertMediaType, assertNotCompressed, readRequestBody } from '@longhaul/models/http';
import type { ApiRoute, OperationName } from '@longhaul/protocol/api';
import type { z } from 'zod';
import type { ServerLimits } from '../server-options.ts';
import { parseJson } from './parse-json.ts';
import { invalidRequest } from './request-failure.ts';

export interface UnparsedRequest {
  incoming: IncomingMessage;
  params: Record<string, string>;
  url: string;
  limits: ServerLimits;
}

/**
 * Parses all parts of a request with their schemas. The body is read last, so a request with another invalid part is
 * refused without reading it.
 *
 * @throws {LonghaulError} `invalid_request`, `media_type_unsupported`, `request_too_large`, `request_timeout`.
 */
export async function parseRequest(
  _name: OperationName,
  route: ApiRoute,
  { incoming, params, url, limits }: UnparsedRequest,
) {
  const pieces = {
    params: parsed('path', route.params, params),
    query: parsed('query', route.query, Object.fromEntries(new URL(url).searchParams)),
    headers: parsed('header', route.headers, incoming.headers),
  };
  const limit = {
    maxBytes: route.bodyLimit === 'upload' ? limits.uploadBytes : limits.jsonBytes,
    stallMs: limits.bodyStallMs,
  };
  if (route.consumes !== undefined) {
    assertNotCompressed(incoming.headers['content-encoding']);
    assertMediaType(incoming.headers['content-type'], route.consumes);
    return { ...pieces, body: undefined, bytes: await readRequestBody(incoming, limit) };
  }
  if (route.body === undefined) return { ...pieces, body: undefined, bytes: new Uint8Array() };
  if (hasBody(incoming)) {
    assertMediaType(incoming.headers['content-type'], ['application/json']);
    assertNotCompressed(incoming.headers['content-encoding']);
  }
  const body = parseJson(await readRequestBody(incoming, limit));
  return { ...pieces, body: parsed('body', route.body, body), bytes: new Uint8Array() };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function parsed(place: string, schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidRequest(place, result.error);
}
