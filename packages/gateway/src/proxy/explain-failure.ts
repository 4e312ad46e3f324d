import { LonghaulError } from '@longhaul/protocol';
import type { GatewayCore } from '../gateway-core.ts';
import type { Route } from '../upstream/router.ts';

/** A failed answer: nothing for a connection that broke. */
export interface FailedAnswer {
  status?: number;
  body?: string;
}

/** Returns the error that the client gets for a failure of its upstream. */
export function explainFailure(
  { route: { upstream, model }, signal }: { route: Route; signal: AbortSignal },
  thrown: unknown,
  answer: FailedAnswer = {},
): LonghaulError {
  if (thrown instanceof LonghaulError) return thrown;
  if (signal.aborted) return new LonghaulError('cancelled', 'The client disconnected.');
  return upstream.explain(thrown, { model }, answer);
}

/** After these errors the server may be restarted with another window. */
export function doubtWindowAfter(core: GatewayCore, { upstream }: Route, { code }: LonghaulError): void {
  if (SERVER_GONE.has(code)) core.windows.doubt(upstream);
}

/** Codes that mean the server has stopped or is restarting. */
const SERVER_GONE: ReadonlySet<LonghaulError['code']> = new Set([
  'provider_unreachable',
  'provider_stream_cut',
]);
