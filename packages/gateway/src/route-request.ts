import { LonghaulError } from '@longhaul/protocol';
import type { GatewayCore } from './gateway-core.ts';
import { checkJsonType } from './http/body-type.ts';
import type { Exchange } from './http/exchange.ts';
import { isPreflight, preflightHeaders } from './http/page-headers.ts';
import { answerChat } from './proxy/answer-chat.ts';
import { forward } from './proxy/forward.ts';
import { forwardByModel } from './proxy/forward-by-model.ts';
import { answerModels, answerModelsOfOne } from './proxy/models-list.ts';
import { answerStatus } from './status/answer-status.ts';
import { answerWay, wayOf } from './ways/answer-way.ts';
import { isOllamaPath, passToOllama } from './ways/ollama-paths.ts';
import { answerPrompt, isPromptPath } from './ways/prompts/answer-prompt.ts';

/**
 * Dispatches a request to its handler.
 *
 * @throws {LonghaulError} If no answer has begun. The caller sends it.
 */
export async function routeRequest(core: GatewayCore, exchange: Exchange): Promise<void> {
  const { request, response, method } = exchange;
  if (isPreflight(request)) return void response.writeHead(204, preflightHeaders(request)).end();
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  if (path === '/status' || path === '/') return answerStatus(core, exchange);
  const way = wayOf(method, path);
  if (way !== undefined) {
    checkJsonType(request);
    return answerWay(core, exchange, way);
  }
  if (isPromptPath(method, path)) return answerPrompt(core, exchange, path);
  if (isOllamaPath(method, path)) return passToOllama(core, exchange);
  if ((path !== '/v1' && !path.startsWith('/v1/')) || hasDotSegment(path)) throw unknownPath(method, path);
  if (method === 'POST' && /^\/v1\/chat\/completions\/?$/.test(path)) {
    checkJsonType(request);
    return answerChat(core, exchange);
  }
  const isList = method === 'GET' && path === '/v1/models';
  if (isList && !core.router.hasPrefixes) return answerModelsOfOne(core, exchange);
  if (!core.router.hasPrefixes) return forward(core, exchange, { upstream: core.router.default });
  if (isList) return answerModels(core, exchange);
  return forwardByModel(core, exchange);
}

/** Servers resolve `..`, some of them even if it is escaped: `/v1/../api/delete` leads out of the API. */
function hasDotSegment(path: string): boolean {
  return path.split(/[/\\]|%2f|%5c/i).some((name) => /^(?:\.|%2e){1,2}$/i.test(name));
}

function unknownPath(method: string, path: string): LonghaulError {
  return new LonghaulError(
    'not_found',
    `There is no ${method} ${path} here. The API is under /v1: set your client's base URL to end in /v1. /status shows what the gateway does.`,
  );
}
