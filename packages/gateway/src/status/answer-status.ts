import type { GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { readStatus } from './read-status.ts';

/** Answers `GET /status` and `GET /`: with JSON, or with a page if the client accepts HTML. */
export async function answerStatus(core: GatewayCore, { request, response }: Exchange): Promise<void> {
  const status = readStatus(core);
  const wantsPage = /text\/html/.test(request.headers.accept ?? '');
  const { statusPage } = wantsPage ? await import('./status-page.ts') : { statusPage: undefined };
  const body = statusPage === undefined ? `${JSON.stringify(status, null, 2)}\n` : statusPage(status);
  response.writeHead(200, {
    'content-type': wantsPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    vary: 'accept',
  });
  response.end(body);
}
