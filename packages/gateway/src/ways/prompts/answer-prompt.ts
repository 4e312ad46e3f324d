import { readRequestBody } from '@longhaul/models/http';
import { bodyLimits, type GatewayCore } from '../../gateway-core.ts';
import { decodeWhole } from '../../http/decode.ts';
import type { Exchange } from '../../http/exchange.ts';
import { forward } from '../../proxy/forward.ts';
import { forwardBody, forwardOn } from '../../proxy/forward-by-model.ts';
import { checkWindow, windowAskedFor } from '../../proxy/turn-window.ts';
import type { Route } from '../../upstream/router.ts';
import { noteUnhelped } from '../note-unhelped.ts';
import { type Prompt, readPrompt } from './read-prompt.ts';
import { warnOfLongPrompt } from './warn-of-long-prompt.ts';

/** Paths whose prompt is one text. */
const PATHS: ReadonlySet<string> = new Set(['/v1/completions', '/api/generate']);

export function isPromptPath(method: string, path: string): boolean {
  return method === 'POST' && PATHS.has(path.replace(/\/$/, ''));
}

/**
 * Passes on a request whose prompt is one text. The gateway cannot compact it, but counts it and warns if it nearly fills
 * the window.
 *
 * @throws {LonghaulError} `window_unknown` if the upstream requires compaction and the window is unknown.
 */
export async function answerPrompt(core: GatewayCore, exchange: Exchange, path: string): Promise<void> {
  const only = core.router.hasPrefixes ? undefined : core.router.default;
  const isRoot = !path.startsWith('/v1/');
  if (only?.compacts === false) return forward(core, exchange, { upstream: only, isRoot });
  const { settings } = core;
  const body = await readRequestBody(exchange.request, bodyLimits(settings));
  const encoding = exchange.request.headers['content-encoding'];
  const plain = await decodeWhole(body, encoding, settings.maxBodyBytes);
  const prompt = plain && readPrompt(plain);
  if (plain === undefined || prompt === undefined) return forwardBody(core, exchange, { body, isRoot });
  const route = await core.findRoute(prompt.model);
  exchange.about = { upstream: route.upstream.name, model: route.model };
  // Without a prompt, Ollama only loads or unloads the model.
  if (prompt.text === '' && prompt.tokens === 0)
    return forwardOn(core, exchange, { route, body, plain, isRoot });
  noteUnhelped(core, path.replace(/\/$/, ''), 'a prompt as one text cannot be compacted');
  if (route.upstream.compacts) await lookAt(core, { prompt, plain, route, signal: exchange.signal });
  return forwardOn(core, exchange, { route, body, plain, isRoot });
}

async function lookAt(
  core: GatewayCore,
  { prompt, plain, route, signal }: { prompt: Prompt; plain: Buffer; route: Route; signal: AbortSignal },
): Promise<void> {
  const { upstream, model } = route;
  core.stats.of(upstream.name, model).requests += 1;
  await checkWindow(core, { chat: { plain, windowTokens: prompt.windowTokens }, route, signal });
  const window = windowAskedFor(prompt) ?? (await core.windows.windowOf(upstream, model));
  await warnOfLongPrompt(core, { prompt, route, window });
}
