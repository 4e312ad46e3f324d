import { sessionParams } from '../common.ts';
import { eventSchema, eventsHeaders, eventsQuery } from '../events.ts';
import type { ApiRoute } from '../route.ts';
import { EVENT_STREAM, SESSION } from './shared.ts';

export const eventRoutes = {
  sessionEvents: {
    method: 'GET',
    path: `${SESSION}/events`,
    tag: 'events',
    summary: 'Stream the events of a session: all after a number, then live',
    description:
      'Server-sent events. `id` is the number of an event; parts of an answer (`llm:chunk`) have none. Without a number, the stream sends the text so far of the answer in progress, then only new events.',
    params: sessionParams,
    query: eventsQuery,
    headers: eventsHeaders,
    status: 200,
    produces: EVENT_STREAM,
    response: eventSchema,
    errors: ['session_not_found', 'shutting_down'],
  },
  allEvents: {
    method: 'GET',
    path: '/api/events',
    tag: 'events',
    summary: 'Stream the events of all runs of this server, live only',
    status: 200,
    produces: EVENT_STREAM,
    response: eventSchema,
    errors: ['shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;
