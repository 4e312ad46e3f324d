import type { RequestExtras } from '@longhaul/models';
import { isObject, type JsonObject, type JsonValue, LonghaulError } from '@longhaul/protocol';
import type { FieldsOf } from './reasoning-fields/reasoning-ask.ts';

/**
 * Wraps `fetch`: adds the configured headers to each request, and merges the fields for reasoning and then the
 * configured fields into its JSON body.
 *
 * It works on the finished request, so that each client sends them, whatever options it knows.
 */
export function configuredFetch(
  fetch: typeof globalThis.fetch,
  extras: RequestExtras,
  fieldsOf?: FieldsOf,
): typeof globalThis.fetch {
  const { headers = {}, body = {} } = extras;
  const hasBody = Object.keys(body).length > 0 || fieldsOf !== undefined;
  if (!hasBody && Object.keys(headers).length === 0) return fetch;
  return (input, init) => {
    const merged = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) {
      if (LISTS.has(name.toLowerCase())) merged.append(name, value);
      else merged.set(name, value);
    }
    const sent =
      hasBody && init?.body !== undefined && init.body !== null
        ? withFields(init.body, body, fieldsOf)
        : init?.body;
    return fetch(input, { ...init, headers: merged, body: sent });
  };
}

/** Headers whose values add to those of the client: each names a feature that a part of the request needs. */
const LISTS: ReadonlySet<string> = new Set(['anthropic-beta']);

/** @throws {LonghaulError} `internal` if the client's body is not JSON. */
function withFields(
  sent: NonNullable<RequestInit['body']>,
  fields: JsonObject,
  fieldsOf: FieldsOf = () => ({}),
): string {
  if (typeof sent !== 'string') throw notJson();
  const request: JsonValue = JSON.parse(sent);
  if (!isObject(request)) throw notJson();
  return JSON.stringify(merge(merge(request, fieldsOf(request)), fields));
}

/** Objects merge, `null` removes a field, and other values replace it (RFC 7396). */
function merge(into: JsonObject, fields: JsonObject): JsonObject {
  const merged = new Map(Object.entries(into));
  for (const [key, value] of Object.entries(fields)) {
    const before = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isObject(value)) merged.set(key, merge(isObject(before) ? before : {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

function notJson(): LonghaulError {
  return new LonghaulError(
    'internal',
    'providers.NAME.body and reasoning apply to requests with a JSON object, and this one has none.',
  );
}
