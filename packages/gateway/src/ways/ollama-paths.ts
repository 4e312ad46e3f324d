import type { GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { forward } from '../proxy/forward.ts';

/** Paths of Ollama's own API that only read or use models. Those that pull, create or delete them are not passed on. */
const PASSED: ReadonlySet<string> = new Set([
  'GET /api/tags',
  'GET /api/ps',
  'GET /api/version',
  'POST /api/show',
  'POST /api/embed',
  'POST /api/embeddings',
]);

export function isOllamaPath(method: string, path: string): boolean {
  return PASSED.has(`${method} ${path}`);
}

/** Passes a request to the first upstream, since these paths name no upstream. */
export function passToOllama(core: GatewayCore, exchange: Exchange): Promise<void> {
  return forward(core, exchange, { upstream: core.router.default, isRoot: true });
}
