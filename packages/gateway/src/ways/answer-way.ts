import { readRequestBody } from '@longhaul/models/http';
import { bodyLimits, type GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { forward } from '../proxy/forward.ts';
import { forwardBody, forwardOn } from '../proxy/forward-by-model.ts';
import { checkWindow } from '../proxy/turn-window.ts';
import { MESSAGES } from './messages.ts';
import { noteUnhelped } from './note-unhelped.ts';
import { OLLAMA_CHAT } from './ollama-chat.ts';
import { type ReadWay, readWay } from './read-way.ts';
import { RESPONSES } from './responses.ts';
import type { Way } from './way.ts';
import { WayTurn } from './way-turn.ts';

const WAYS: readonly Way[] = [RESPONSES, MESSAGES, OLLAMA_CHAT];

/** Returns the protocol of a request, if the gateway can compact its conversations. */
export function wayOf(method: string, path: string): Way | undefined {
  const own = path.replace(/\/$/, '');
  return method === 'POST' ? WAYS.find((way) => own === way.path) : undefined;
}

/**
 * Answers a request of another protocol than chat completions.
 *
 * @throws {LonghaulError} If no answer has begun.
 */
export async function answerWay(core: GatewayCore, exchange: Exchange, way: Way): Promise<void> {
  const only = core.router.hasPrefixes ? undefined : core.router.default;
  const isRoot = !way.path.startsWith('/v1/');
  if (only?.compacts === false) return forward(core, exchange, { upstream: only, isRoot });
  const { request } = exchange;
  const received = await readRequestBody(request, bodyLimits(core.settings));
  const read = await readWay(request, { way, body: received, maxBytes: core.settings.maxBodyBytes });
  if (read === undefined) return forwardBody(core, exchange, { body: received, isRoot });
  const route = await core.findRoute(read.model);
  exchange.about = { upstream: route.upstream.name, model: route.model };
  core.stats.of(route.upstream.name, route.model).requests += 1;
  if (read.unhelped !== undefined) noteUnhelped(core, way.path, read.unhelped);
  if (route.upstream.compacts && canHelp(read)) return new WayTurn(core, exchange, { read, route }).run();
  await checkWindow(core, { chat: read, route, signal: exchange.signal });
  return forwardOn(core, exchange, { route, body: read.body, plain: read.plain, isRoot });
}

function canHelp({ unhelped, messages }: ReadWay): boolean {
  return unhelped === undefined && messages.length > 0;
}
