import { readRequestBody } from '@longhaul/models/http';
import { bodyLimits, type GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { ChatTurn } from './chat-turn.ts';
import { forward } from './forward.ts';
import { readChat } from './read-chat.ts';
import { requestBody } from './request-body.ts';

/**
 * Answers `POST /v1/chat/completions`.
 *
 * @throws {LonghaulError} If no answer has begun. The caller sends it.
 */
export async function answerChat(core: GatewayCore, exchange: Exchange): Promise<void> {
  const { settings, stats } = core;
  const chat = await readChat(
    await readRequestBody(exchange.request, bodyLimits(settings)),
    exchange.request,
    settings.maxBodyBytes,
  );
  const route = await core.findRoute(chat.model);
  exchange.about = { upstream: route.upstream.name, model: route.model };
  stats.of(route.upstream.name, route.model).requests += 1;
  if (route.upstream.compaction) return new ChatTurn(core, exchange, { chat, route }).run();
  const { bytes, without } = requestBody(chat, {
    model: route.hasPrefix ? route.model : undefined,
    asksForUsage: false,
  });
  return forward(core, exchange, { upstream: route.upstream, body: bytes, without });
}
