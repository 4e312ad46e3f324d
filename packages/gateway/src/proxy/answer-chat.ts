import { readRequestBody } from '@longhaul/models/http';
import { bodyLimits, type GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { withModel } from '../wire/edit-body.ts';
import { ChatTurn } from './chat-turn.ts';
import { forward } from './forward.ts';
import { readChat } from './read-chat.ts';

/**
 * Answers `POST /v1/chat/completions`.
 *
 * @throws {LonghaulError} If no answer has begun. The caller sends it.
 */
export async function answerChat(core: GatewayCore, exchange: Exchange): Promise<void> {
  const { router, settings, stats } = core;
  const only = router.hasPrefixes ? undefined : router.default;
  if (only?.compaction === false) return forward(core, exchange, { upstream: only });

  const chat = await readChat(
    await readRequestBody(exchange.request, bodyLimits(settings)),
    exchange.request,
    settings.maxBodyBytes,
  );
  const route = await core.findRoute(chat.model);
  exchange.about = { upstream: route.upstream.name, model: route.model };
  stats.of(route.upstream.name, route.model).requests += 1;
  if (route.upstream.compaction) return new ChatTurn(core, exchange, { chat, route }).run();
  if (!route.hasPrefix) return forward(core, exchange, { upstream: route.upstream, body: chat.body });
  const body = withModel(chat.plain, route.model);
  return forward(core, exchange, { upstream: route.upstream, body, without: ['content-encoding'] });
}
