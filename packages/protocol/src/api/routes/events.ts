import { ADDRESSES } from '../addresses.ts';
import { sessionParams } from '../common.ts';
import { allEventsQuery, eventSchema, eventsHeaders, eventsQuery } from '../events.ts';
import type { ApiRoute } from '../route.ts';
import { EVENT_STREAM } from './shared.ts';

export const eventRoutes = {
  sessionEvents: {
    ...ADDRESSES.sessionEvents,
    tag: 'events',
    summary: 'Stream the events of a session: those after a number, then live events',
    description:
      'Server-sent events. `id` is the number of an event; pieces of streamed text (`llm:chunk`) have none. Without a number, the stream starts with the text so far of the answer in progress, then sends only new events.',
    params: sessionParams,
    query: eventsQuery,
    headers: eventsHeaders,
    status: 200,
    produces: EVENT_STREAM,
    response: eventSchema,
    errors: ['session_not_found', 'shutting_down'],
  },
  allEvents: {
    ...ADDRESSES.allEvents,
    tag: 'events',
    summary: 'Stream the events of all runs of this server, live only',
    query: allEventsQuery,
    status: 200,
    produces: EVENT_STREAM,
    response: eventSchema,
    errors: ['shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;
