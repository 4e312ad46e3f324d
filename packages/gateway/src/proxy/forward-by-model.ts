import { readRequestBody } from '@longhaul/models/http';
import { LonghaulError } from '@longhaul/protocol';
import { bodyLimits, type GatewayCore } from '../gateway-core.ts';
import { decodeWhole } from '../http/decode.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../upstream/router.ts';
import { withModel } from '../wire/edit-body.ts';
import { isRecord } from '../wire/is-record.ts';
import { forward } from './forward.ts';

/**
 * With several upstreams, forwards a request other than a chat by the model in its path or JSON body, else to the first
 * upstream.
 */
export async function forwardByModel(core: GatewayCore, exchange: Exchange): Promise<void> {
  const { request, path, method } = exchange;
  const { router } = core;
  const named = /^\/models\/([^?]+)/.exec(path)?.[1];
  if (named !== undefined) {
    const { upstream, model } = await core.findRoute(decoded(named));
    return forward(core, exchange, {
      upstream,
      path: `/models/${model.split('/').map(encodeURIComponent).join('/')}`,
    });
  }
  const isJson = /json/.test(request.headers['content-type'] ?? '');
  if (method !== 'POST' || !isJson) return forward(core, exchange, { upstream: router.default });
  return forwardBody(core, exchange, { body: await readRequestBody(request, bodyLimits(core.settings)) });
}

/** Forwards a request whose JSON body has been read by the model in it. */
export async function forwardBody(
  core: GatewayCore,
  exchange: Exchange,
  { body, isRoot }: { body: Buffer; isRoot?: boolean },
): Promise<void> {
  const encoding = exchange.request.headers['content-encoding'];
  const plain = (await decodeWhole(body, encoding, core.settings.maxBodyBytes)) ?? body;
  return forwardOn(core, exchange, { route: await core.findRoute(modelIn(plain)), body, plain, isRoot });
}

/** Forwards a request whose route is known. Only a prefix of the model's name is removed from its body. */
export function forwardOn(
  core: GatewayCore,
  exchange: Exchange,
  { route, body, plain, isRoot }: { route: Route; body: Buffer; plain: Buffer; isRoot?: boolean | undefined },
): Promise<void> {
  const { upstream, model, hasPrefix } = route;
  if (!hasPrefix) return forward(core, exchange, { upstream, body, isRoot });
  const without = ['content-encoding'];
  return forward(core, exchange, { upstream, isRoot, body: withModel(plain, model), without });
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new LonghaulError('not_found', `"${name}" is not a valid model name: its escapes are malformed.`);
  }
}

function modelIn(body: Buffer): string {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(json) && typeof json['model'] === 'string' ? json['model'] : '';
  } catch {
    // The first upstream reports the error.
    return '';
  }
}
