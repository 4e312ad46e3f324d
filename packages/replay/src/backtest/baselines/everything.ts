import type { ReplayMethod } from '../method.ts';

/** Sends all events, even if they do not fit the window. The other methods are compared with it. */
export const everything: ReplayMethod = {
  name: 'everything',
  start: ({ events }) => ({ viewBefore: async ({ firstEvent }) => ({ view: events.slice(0, firstEvent) }) }),
};
