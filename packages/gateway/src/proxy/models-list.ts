import { LonghaulError } from '@longhaul/protocol';
import type { GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import { readBody } from '../http/read-body.ts';
import type { Upstream, UpstreamRequest } from '../upstream/upstream.ts';
import { isRecord } from '../wire/is-record.ts';

/**
 * Answers `GET /v1/models` for several upstreams: each entry as its upstream lists it, with the upstream's name before
 * the id. Unreachable upstreams are omitted.
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
  return models.map((model) => ({ ...model, id: `${upstream.name}/${model.id}` }));
}

/** Queries the models of an upstream and stores them in the router. */
export async function listOf(
  core: Pick<GatewayCore, 'router' | 'settings'>,
  upstream: Upstream,
  request: Pick<UpstreamRequest, 'path' | 'headers' | 'signal'>,
): Promise<{ id: string }[]> {
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

function entriesOf(text: string): ({ id: string } & Record<string, unknown>)[] | undefined {
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
