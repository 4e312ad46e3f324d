import { LonghaulError } from '@longhaul/protocol';
import type { GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import { readBody } from '../http/read-body.ts';
import type { Upstream, UpstreamRequest } from '../upstream/upstream.ts';
import { withMember } from '../wire/edit-body.ts';
import { isRecord } from '../wire/is-record.ts';
import { writeHead } from './forward.ts';
import { readWhole, sendWhole } from './whole-answer.ts';

/**
 * Answers `GET /v1/models` with the list of the only upstream. Each model whose window is known also has
 * `contextLimit`. If no window is known, the answer passes unchanged.
 */
export async function answerModelsOfOne(core: GatewayCore, exchange: Exchange): Promise<void> {
  const upstream = core.router.default;
  const { path, signal, headers } = exchange;
  const answer = await upstream.send({ method: 'GET', path, headers, body: undefined, signal });
  const whole = await readWhole(answer, core.settings.maxBodyBytes);
  const models = whole.isFailure ? undefined : entriesOf(whole.text);
  const limited = models === undefined ? [] : await withLimits(core, upstream, models);
  if (!limited.some(({ contextLimit }) => contextLimit !== undefined))
    return sendWhole(exchange.response, whole, []);
  const bytes = withMember(Buffer.from(whole.text), 'data', limited);
  writeHead(exchange.response, answer, {
    without: ['content-encoding', 'content-length', 'etag'],
    add: ['Content-Length', String(bytes.length)],
  });
  exchange.response.end(bytes);
}

/**
 * Answers `GET /v1/models` for several upstreams: each entry as its upstream lists it, with the upstream's name before
 * the id, and with `contextLimit` if its window is known. Unreachable upstreams are omitted.
 *
 * @throws {LonghaulError} The first upstream's error if no upstream answers.
 */
export async function answerModels(core: GatewayCore, exchange: Exchange): Promise<void> {
  const lists = await Promise.allSettled(
    core.router.upstreams.map((upstream) => listFor(core, exchange, upstream)),
  );
  const answered = lists.flatMap((list) => (list.status === 'fulfilled' ? [list.value] : []));
  if (answered.length === 0) {
    const [first] = lists;
    throw first?.status === 'rejected'
      ? first.reason
      : new LonghaulError('internal', 'There is no upstream.');
  }
  const body = JSON.stringify({ object: 'list', data: answered.flat() });
  exchange.response.writeHead(200, {
    ...pageHeaders(exchange.request),
    'content-type': 'application/json',
  });
  exchange.response.end(body);
}

async function listFor(core: GatewayCore, exchange: Exchange, upstream: Upstream): Promise<object[]> {
  const { path, signal, headers } = exchange;
  const models = await listOf(core, upstream, { path, signal, headers });
  const limited = await withLimits(core, upstream, models);
  return limited.map((model) => ({ ...model, id: `${upstream.name}/${model.id}` }));
}

type ListedModel = { id: string } & Record<string, unknown>;

/** Adds the windows of the models, which are queried for all models at once. */
async function withLimits(
  { windows }: GatewayCore,
  upstream: Upstream,
  models: readonly ListedModel[],
): Promise<ListedModel[]> {
  const ids = models.map(({ id }) => id);
  await windows.refreshAll(upstream, ids);
  return models.map((model) => {
    const contextLimit = windows.known(upstream, model.id)?.windowTokens;
    return contextLimit === undefined ? model : { ...model, contextLimit };
  });
}

/** Queries the models of an upstream and stores them in the router. */
export async function listOf(
  core: Pick<GatewayCore, 'router' | 'settings'>,
  upstream: Upstream,
  request: Pick<UpstreamRequest, 'path' | 'headers' | 'signal'>,
): Promise<ListedModel[]> {
  // Uncompressed, because the lists are merged.
  const without = ['accept-encoding', 'content-length'];
  const answer = await upstream.send({ ...request, method: 'GET', body: undefined, without });
  const whole = await readBody(answer, core.settings.maxBodyBytes).finally(() => answer.destroy());
  const text = whole.toString('utf8');
  const models = entriesOf(text);
  if (models === undefined)
    throw upstream.explain(undefined, {}, { status: answer.statusCode ?? 502, body: text });
  core.router.noteModels(
    upstream,
    models.map(({ id }) => id),
  );
  return models;
}

function entriesOf(text: string): ListedModel[] | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const data = isRecord(json) ? json['data'] : undefined;
    if (!Array.isArray(data)) return undefined;
    return data.flatMap((entry) =>
      isRecord(entry) && typeof entry['id'] === 'string' ? [{ ...entry, id: entry['id'] }] : [],
    );
  } catch {
    return undefined;
  }
}
