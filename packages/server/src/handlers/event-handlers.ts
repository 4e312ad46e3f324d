import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { LonghaulError } from '@longhaul/protocol';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

export function eventHandlers({
  feeds,
  gate,
}: HandlerContext): Pick<RouteHandlers, 'sessionEvents' | 'allEvents'> {
  return {
    async sessionEvents({ params: { sessionId }, query, headers, raw, access, isStillValid }) {
      const after = parseLastEventId(headers['last-event-id']) ?? query.after;
      if (raw.method === 'HEAD') return new Response(null);
      const mayRead = async () => (await isStillValid()) && (await gate.sees(access, sessionId));
      await feeds.openSession(sessionId, after, { response: raw.outgoing, headers: raw.headers, mayRead });
      return RESPONSE_ALREADY_SENT;
    },

    async allEvents({ query, raw, access, isStillValid }) {
      if (raw.method === 'HEAD') return new Response(null);
      feeds.openAll(
        { response: raw.outgoing, headers: raw.headers, mayRead: isStillValid },
        {
          isNumbered: query.numbered === 'true',
          sees: access.scope === 'admin' ? undefined : (sessionId) => gate.sees(access, sessionId),
        },
      );
      return RESPONSE_ALREADY_SENT;
    },
  };
}

/** @throws {LonghaulError} `invalid_request` */
function parseLastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (/^\d{1,12}$/.test(header)) return Number(header);
  throw new LonghaulError('invalid_request', 'Last-Event-ID must be the number of an event: 1 to 12 digits.');
}
