import { LonghaulError } from '@longhaul/protocol';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

/** A replay takes a processor, which runs of sessions need too. */
const MAX_MS = 10 * 60_000;
const RETRY_SECONDS = 5;
const DEFAULT_NAME = 'session';

export function replayHandlers({ replay }: HandlerContext): Pick<RouteHandlers, 'replay'> {
  let isBusy = false;
  return {
    async replay({ query: { name = DEFAULT_NAME, windows, strategies, format }, bytes, signal }) {
      if (replay === undefined)
        throw new LonghaulError('invalid_request', 'This server cannot replay. Use: longhaul replay FILE');
      if (isBusy) throw busy();
      isBusy = true;
      const tooLong = AbortSignal.timeout(MAX_MS);
      try {
        const { report, page } = await replay.replay(bytes, {
          name,
          windows: [...new Set(windows.split(',').map(Number))],
          strategies: strategies.split(',').map((strategy) => strategy.trim()),
          wantsPage: format === 'html',
          signal: AbortSignal.any([signal, tooLong]),
        });
        return page === undefined ? report : download(page, name);
      } catch (error) {
        throw tooLong.aborted ? tookTooLong() : error;
      } finally {
        isBusy = false;
      }
    },
  };
}

/** Its texts are those of the recorded session, so it must not run as a page of this server. */
function download(page: string, name: string): Response {
  const file = name.replace(/\.\w{1,6}$/, '').replaceAll(/[^\w.-]+/g, '_');
  return new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': `attachment; filename="replay-${file}.html"`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
  });
}

function busy(): LonghaulError {
  return new LonghaulError('rate_limited', `Another replay is running. Retry after ${RETRY_SECONDS} s.`, {
    data: { retryAfterSeconds: RETRY_SECONDS },
  });
}

function tookTooLong(): LonghaulError {
  return new LonghaulError(
    'invalid_request',
    'The replay took longer than 10 minutes. Use fewer strategies or windows, or run longhaul replay FILE.',
  );
}
