import { MODEL } from './fuzz-server.ts';
import { inSession, type KnownNames } from './known-names.ts';
import type { Random } from './random.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  pattern?: string;
  format?: string;
  contentEncoding?: string;
}

export interface Operation {
  operationId: string;
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface FuzzRequest {
  operationId: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** Values that match no schema, or that are the end of a range. */
const ODD: readonly unknown[] = [
  null,
  '',
  0,
  -1,
  1e308,
  true,
  [],
  {},
  '__proto__',
  '../../etc/passwd',
  '%00',
  '\u0000',
  '\ud800',
  '🙂',
  'm1',
  'm999999999',
  'x'.repeat(5_000),
  { a: { b: [null] } },
];

/** Bodies whose parts depend on each other, so that values made from the schema alone would rarely be accepted. */
const BODIES: Readonly<Record<string, (random: Random) => unknown>> = {
  chat: (random) => ({
    id: `chat-${random.below(20)}`,
    messages: [
      { id: `u${random.below(1e6)}`, role: 'user', parts: [{ type: 'text', text: spoken(random) }] },
    ],
  }),
  sendMessage: (random) => ({ content: spoken(random) }),
  editQueued: (random) => ({ content: spoken(random) }),
  chatCompletion: (random) => ({
    model: 'agent/coder',
    stream: random.chance(0.5),
    messages: [{ role: 'user', content: spoken(random) }],
  }),
};

/** The scripted model decides by the first word. */
function spoken(random: Random): string {
  return `${random.one(['say', 'call', 'call', 'call', 'fail', 'slow'])} ${random.text(80)}`;
}

/** What the names of fields and parameters mean, if it is not a known name of the same kind. */
const MEANINGS: Readonly<Record<string, (random: Random) => unknown>> = {
  model: (random) => random.one([MODEL, MODEL, 'agent/coder']),
  agent: () => 'coder',
  role: (random) => random.one(['user', 'assistant', 'system']),
  mediaType: () => 'image/png',
  data: () => Buffer.from('89504e470d0a1a0a', 'hex').toString('base64'),
  content: spoken,
  text: spoken,
  chatId: (random) => `chat-${random.below(20)}`,
  q: (random) => random.one(['say', 'call', 'done', random.text(10)]),
  limit: (random) => 1 + random.below(50),
  at: (random) => 1 + random.below(4),
};

/**
 * The name that the session of an operation must have, often. A message to a session that waits for an approval stays in
 * the queue, and a session that got a message has approvals and a queue.
 */
const PREFERRED: Readonly<Record<string, string>> = {
  sendMessage: 'callId',
  listApprovals: 'sent',
  listSessionQueue: 'sent',
};

export interface MakeRequestOptions {
  document: OpenApi;
  known: KnownNames;
  random: Random;
  /** The folder in which sessions may work. */
  workspace: string;
  /** Share of the requests with a changed value. */
  mutations: number;
}

/** Makes a request for an operation: a valid one with names that exist, or one with a single change of it. */
export function makeRequest(
  { path, method, operation }: { path: string; method: string; operation: Operation },
  { document, known, random, workspace, mutations }: MakeRequestOptions,
): FuzzRequest {
  const kinds = operation.parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name }) => kindOfPath(path, name));
  const preferred = random.chance(0.6) ? PREFERRED[operation.operationId] : undefined;
  const session = sessionWith(preferred ?? kinds.at(-1) ?? '');
  // How many values of this request are replaced.
  let changes = random.chance(mutations) ? 1 + random.below(2) : 0;

  function value(name: string, schema: Schema, depth = 0): unknown {
    if (changes > 0 && random.chance(0.3)) {
      changes -= 1;
      return random.one(ODD);
    }
    return valid(name, schema, depth);
  }

  function valid(name: string, schema: Schema, depth: number): unknown {
    if (schema.$ref !== undefined) {
      const target = document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
      return target === undefined || depth > 6 ? null : value(name, target, depth + 1);
    }
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return random.one(schema.enum);
    const options = schema.anyOf ?? schema.oneOf;
    if (options !== undefined) return value(name, random.one(options), depth + 1);
    const type = Array.isArray(schema.type) ? random.one(schema.type) : schema.type;
    if (type === 'object') return objectOf(schema, depth);
    if (type === 'array') {
      const length = (schema.minItems ?? 0) + random.below(3);
      return Array.from({ length }, () => value(name, schema.items ?? {}, depth + 1));
    }
    if (type === 'boolean') return random.chance(0.5);
    if (type === 'null') return null;
    const meant = MEANINGS[name]?.(random);
    if (type === 'integer' || type === 'number') return typeof meant === 'number' ? meant : numberOf(schema);
    return textOf(name, schema, typeof meant === 'string' ? meant : undefined);
  }

  function bodyOf(schema: Schema): unknown {
    const made = changes === 0 && random.chance(0.8) ? BODIES[operation.operationId] : undefined;
    return made === undefined ? value('', schema) : made(random);
  }

  /** A recorded session. With a change, only its beginning or other bytes. */
  function fileOf(): string {
    const exported = known.anyExport(random);
    if (exported === undefined || random.chance(0.1)) return random.text(300);
    return changes === 0 ? exported : exported.slice(0, random.below(exported.length));
  }

  function objectOf({ properties = {}, required = [] }: Schema, depth: number): Record<string, unknown> {
    const chosen = Object.entries(properties).filter(
      ([name]) => required.includes(name) || (depth < 5 && random.chance(0.4)),
    );
    return Object.fromEntries(chosen.map(([name, schema]) => [name, value(name, schema, depth + 1)]));
  }

  function numberOf({ type, minimum = 0, maximum = 1_000 }: Schema): number {
    const low = Math.max(minimum, -10);
    const high = Math.min(maximum, 1_000);
    return type === 'integer'
      ? low + random.below(high - low + 1)
      : low + (high - low) / (1 + random.below(9));
  }

  function textOf(name: string, schema: Schema, meant: string | undefined): string {
    if (name === 'workspace') return workspace;
    if (schema.contentEncoding === 'base64') return String(MEANINGS['data']?.(random));
    if (schema.pattern?.includes('blob') === true) {
      const blob = known.any('blobId', random);
      return `@blob:${blob ?? '0'.repeat(64)}`;
    }
    if (name === 'sessionId' && session !== undefined) return session;
    if (name === 'target') return ofSession('messageId') ?? `m${1 + random.below(5)}`;
    if (name === 'handle') return ofSession(`handle of ${params.get('callId')}`) ?? 'm1';
    const kind = name === 'before' || name === 'session' ? 'sessionId' : name;
    return ofSession(kind) ?? known.any(kind, random) ?? meant ?? `x${random.text(20)}`;
  }

  function ofSession(kind: string): string | undefined {
    return session === undefined ? undefined : known.any(inSession(kind, session), random);
  }

  /** A session that has a name of this kind, if one has. */
  function sessionWith(kind: string): string | undefined {
    const having = known.all('sessionId').filter((id) => known.all(inSession(kind, id)).length > 0);
    return having.length > 0 ? random.one(having) : known.any('sessionId', random);
  }

  const of = (place: string) =>
    operation.parameters.filter(
      (parameter) => parameter.in === place && (parameter.required || random.chance(0.4)),
    );
  const params = new Map(of('path').map(({ name, schema }) => [name, value(kindOfPath(path, name), schema)]));
  const query = of('query').map(({ name, schema }): [string, string] => [name, String(value(name, schema))]);
  const search = query.length === 0 ? '' : `?${new URLSearchParams(query)}`;
  const headers = of('header').map(({ name, schema }) => [
    name,
    String(value(name, schema)).replaceAll(/[^\x21-\x7e]/g, '-'),
  ]);
  const [contentType, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body =
    media === undefined
      ? {}
      : media.schema.format === 'binary'
        ? { body: Uint8Array.from(Buffer.from(fileOf())) }
        : { body: JSON.stringify(bodyOf(media.schema)) };
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(params.get(name)) || 'x') + search,
    headers: {
      ...Object.fromEntries(headers),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    },
    ...body,
  };
}

/** The `id` of a path under `/queue` is that of a waiting message, and that under `/sessions` that of a session. */
function kindOfPath(path: string, name: string): string {
  if (path.includes(`/queue/{${name}}`)) return 'queuedId';
  if (path.startsWith(`/api/sessions/{${name}}`)) return 'sessionId';
  return name;
}

function encode(value: unknown): string {
  try {
    return encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value));
  } catch {
    // A lone surrogate.
    return '%ED%A0%80';
  }
}
