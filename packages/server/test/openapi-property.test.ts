import { setTimeout as sleep } from 'node:timers/promises';
import { errorBodySchema } from '@longhaul/protocol/api';
import { drawnCases } from '@longhaul/testing/drawn-cases';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './test-server.ts';

interface Operation {
  operationId: string;
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
}
interface Schema {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}
interface Try {
  method: string;
  path: string;
  query: [string, string][];
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  contentType?: string;
}

/** Requests of each operation. */
const RUNS = drawnCases({ fast: 12, all: 40 });
const ids: string[] = [];
let server: TestServer;
let document: Document;

beforeAll(async () => {
  server = await startTestServer({ limits: { jsonBytes: 100_000, uploadBytes: 200_000 } });
  for (let count = 0; count < 3; count += 1) ids.push(await server.newSession());
  await server.call('POST', `/api/sessions/${ids[0]}/messages`, { content: 'hello' });
  document = await server.call<Document & Record<string, unknown>>('GET', '/openapi.json');
});
afterAll(() => server[Symbol.asyncDispose]());

/** The id of an existing session. */
const knownId = fc.nat({ max: 2 }).map((index) => ids[index] ?? '');

/** Hostile values that match no pattern of a schema. */
const nasty = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e308',
    'null',
    '__proto__',
    'constructor',
    '../../etc/passwd',
    "' OR 1=1 --",
    '%00',
    '\u0000',
    '\ud800',
    '🙂',
    `@blob:${'0'.repeat(64)}`,
    'm1',
    'm999999999',
    'm1.9',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.base64String({ maxLength: 40 }),
);

/** Generates values that usually match a schema. */
function anyValueOf(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const right = rightValueOf(schema, depth);
  return fc.oneof(
    { arbitrary: right, weight: 20 },
    { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 1 },
    { arbitrary: nasty, weight: 1 },
  );
}

function rightValueOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    const target = document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
    return target === undefined || depth > 4 ? fc.constant(null) : anyValueOf(target, depth + 1);
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return fc.oneof(...options.map((option) => anyValueOf(option, depth + 1)));
  switch (schema.type) {
    case 'object':
      return objectOf(schema, depth);
    case 'array':
      return fc.array(anyValueOf(schema.items ?? {}, depth + 1), { maxLength: 4 });
    case 'integer':
      return fc.integer({
        min: Math.max(-10, schema.minimum ?? -10),
        max: Math.min(1_000, schema.maximum ?? 1_000),
      });
    case 'number':
      return fc.double({ min: 0, max: 1, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return textOf(schema);
  }
}

function textOf({ pattern, contentEncoding }: Schema): fc.Arbitrary<unknown> {
  const known = fc.oneof(knownId, fc.constantFrom('m1', 'm2', 'played/one', 'image/png', 'key-1'));
  const words = fc.string({ maxLength: 30 });
  if (contentEncoding === 'base64') return fc.base64String({ minLength: 4, maxLength: 60 });
  if (pattern?.includes('blob') === true) return fc.constant(`@blob:${'0'.repeat(64)}`);
  return fc.oneof(known, words, nasty);
}

function objectOf({ properties = {} }: Schema, depth: number): fc.Arbitrary<unknown> {
  const values = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, anyValueOf(schema, depth + 1)]),
  );
  return fc.record(values, { requiredKeys: [] });
}

function tryOf(path: string, method: string, operation: Operation): fc.Arbitrary<Try> {
  const of = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const named = (place: string, value: (schema: Schema) => fc.Arbitrary<unknown>) =>
    fc.record(Object.fromEntries(of(place).map(({ name, schema }) => [name, value(schema)])), {
      requiredKeys: place === 'path' ? of(place).map(({ name }) => name) : [],
    });
  const pathValue = fc.oneof({ arbitrary: knownId, weight: 4 }, { arbitrary: nasty, weight: 1 });
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const body =
    bodies.length === 0
      ? fc.constant({})
      : fc.oneof(...bodies.map(([contentType, { schema }]) => bodyOf(contentType, schema)));
  return fc
    .record({
      params: named('path', () => pathValue),
      query: named('query', anyValueOf),
      headers: named('header', anyValueOf),
      body,
    })
    .map(({ params, query, headers, body: sent }) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(params[name]) || 'x'),
      query: Object.entries(query).map(([name, value]) => [name, inText(value)]),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          inText(value).replaceAll(/[^\x20-\x7e]/g, '?'),
        ]),
      ),
      ...sent,
    }));
}

/** A generated object can have a key such as `toString`, so `String` cannot convert it. */
function inText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function bodyOf(contentType: string, schema: Schema): fc.Arbitrary<Pick<Try, 'body' | 'contentType'>> {
  const isJson = contentType === 'application/json' && schema['format'] !== 'binary';
  const value: fc.Arbitrary<string | Uint8Array<ArrayBuffer>> = isJson
    ? fc.oneof(
        { arbitrary: anyValueOf(schema).map((made) => JSON.stringify(made) ?? ''), weight: 9 },
        { arbitrary: fc.string({ maxLength: 50 }), weight: 1 },
      )
    : fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes));
  return fc.record({
    body: value,
    contentType: fc.oneof(
      { arbitrary: fc.constant(contentType), weight: 9 },
      { arbitrary: fc.constant('text/x'), weight: 1 },
    ),
  });
}

function encode(value: unknown): string {
  try {
    return encodeURIComponent(String(value));
  } catch {
    // A lone surrogate.
    return '%ED%A0%80';
  }
}

/** Replaces a deleted session. */
async function replace(path: string): Promise<void> {
  const index = ids.findIndex((id) => path.endsWith(id));
  ids[index] = await server.newSession();
}

async function send({ method, path, query, headers, body, contentType }: Try): Promise<Response> {
  const search = query.length === 0 ? '' : `?${new URLSearchParams(query)}`;
  const left = new AbortController();
  const timer = setTimeout(() => left.abort(new Error('no answer within 60 s')), 60_000);
  try {
    return await server.fetch(path + search, {
      method,
      signal: left.signal,
      headers: { ...headers, ...(contentType === undefined ? {} : { 'content-type': contentType }) },
      body,
    });
  } finally {
    clearTimeout(timer);
  }
}

describe('the OpenAPI document', () => {
  it('describes the response to every kind of request: never a 500, never a stack', async () => {
    let tried = 0;
    const unnamed = new Set<string>();
    const statuses = new Map<number, number>();
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        await fc.assert(
          fc.asyncProperty(tryOf(path, method, operation), async (attempt) => {
            const response = await send(attempt);
            tried += 1;
            statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
            if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
              await response.body?.cancel();
              return;
            }
            if (operation.operationId === 'deleteSession' && response.ok) await replace(attempt.path);
            const text = await response.text();
            const place = `${attempt.method} ${attempt.path} ${JSON.stringify(attempt.body)}: ${response.status} ${text.slice(0, 300)}`;
            expect(response.status, place).not.toBe(500);
            expect(text, place).not.toMatch(/\bat .*\.(?:ts|js):\d+|node_modules/);
            if (response.ok) return;
            const { error } = errorBodySchema.parse(JSON.parse(text));
            // With an empty parameter, the path is another route or none.
            const isOther = ['not_found', 'method_not_allowed'].includes(error.code);
            if (!isOther && !(String(response.status) in operation.responses))
              unnamed.add(`${operation.operationId}: ${response.status} ${error.code}`);
          }),
          { numRuns: RUNS, seed: 20_261_128 },
        );
      }
    }
    console.log(
      `Tried ${tried} requests: ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`,
    );
    expect([...unnamed]).toEqual([]);
    expect(tried).toBeGreaterThan(RUNS * 30);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 204, 400, 404, 415]));
    const failures = server.log.filter((line) => JSON.parse(line).level >= 50);
    expect(failures).toEqual([]);
    for (const id of ids) await server.runtime.cancel(id).catch(() => {});
    await sleep(0);
  });

  it('contains every operation, and every reference resolves', () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references) {
      expect(reference).toMatch(/^#\/components\/schemas\/\w+$/);
      expect(Object.keys(document.components.schemas)).toContain(reference?.split('/').at(-1));
    }
    expect(text).not.toContain('$defs');
    expect(document.openapi).toBe('3.1.0');
  });
});
