import type { Hook } from '@longhaul/core';

/** The text of a hook about messages that were taken, and of one about an automatic compaction. */
export const JUDGED = 'JUDGED-MESSAGES';
export const KEPT = 'KEPT-TEXT';

/** Hooks whose texts show whether one is lost or repeated. Commands beside the session have no hooks. */
export const HOOKS: readonly Hook[] = [
  { on: 'prompt.submit', name: 'judge', run: async () => ({ text: JUDGED }) },
  {
    on: 'compaction.before',
    name: 'keep',
    run: async (event) =>
      event.on === 'compaction.before' && event.reason !== 'manual' ? { text: KEPT } : undefined,
  },
];
