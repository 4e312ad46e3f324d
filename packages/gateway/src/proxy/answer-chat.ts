import { readRequestBody } from '@longhaul/models/http';
import { bodyLimits, type GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { ChatTurn } from './chat-turn.ts';
import { forward } from './forward.ts';
import { forwardOn } from './forward-by-model.ts';
import { readChat } from './read-chat.ts';

/**
 * Answers `POST /v1/chat/completions`.
 *
 * @throws {LonghaulError} If no answer has begun. The caller sends it.
 */
export async function answerChat(core: GatewayCore, exchange: Exchange): Promise<void> {
  const { router, settings, stats } = core;
  const only = router.hasPrefixes ? undefined : router.default;
  if (only?.compacts === false) return forward(core, exchange, { upstream: only });

  const chat = await readChat(
    await readRequestBody(exchange.request, bodyLimits(settings)),
    exchange.request,
    settings.maxBodyBytes,
  );
  const route = await core.findRoute(chat.model);
  exchange.about = { upstream: route.upstream.name, model: route.model };
  stats.of(route.upstream.name, route.model).requests += 1;
  if (route.upstream.compacts) return new ChatTurn(core, exchange, { chat, route }).run();
  return forwardOn(core, exchange, { route, body: chat.body, plain: chat.plain });
}
