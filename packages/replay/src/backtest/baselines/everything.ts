import type { ReplayMethod } from '../method.ts';

/** Sends all of it, whether it fits or not: what the others are compared with. */
export const everything: ReplayMethod = {
  name: 'everything',
  start: ({ events }) => ({ viewBefore: async ({ firstEvent }) => ({ view: events.slice(0, firstEvent) }) }),
};
