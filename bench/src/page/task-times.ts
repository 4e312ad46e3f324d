import type { CDPSession } from 'playwright-core';
import { z } from 'zod';

/** Times in microseconds. `tdur` is the time that the thread had a processor. */
const eventSchema = z.looseObject({
  ph: z.string(),
  name: z.string(),
  pid: z.number(),
  tid: z.number(),
  tdur: z.number().optional(),
  args: z.looseObject({ name: z.string().optional() }).optional(),
});
type TraceEvent = z.infer<typeof eventSchema>;

const TASK = /\bRunTask$/;

/**
 * Notes how much processor time each task of the page's main thread takes. Unlike the duration of a task, it does not
 * grow when other programs use the processors.
 */
export async function traceTasks(cdp: CDPSession): Promise<{ longestMs: () => Promise<number> }> {
  const events: TraceEvent[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => {
    events.push(...value.map((event) => eventSchema.parse(event)));
  });
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'] },
  });
  return {
    async longestMs() {
      const isComplete = new Promise<void>((resolve) => cdp.once('Tracing.tracingComplete', () => resolve()));
      await cdp.send('Tracing.end');
      await isComplete;
      return longestTaskMs(events);
    },
  };
}

function longestTaskMs(events: readonly TraceEvent[]): number {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const named = events.filter(({ ph, args }) => ph === 'M' && args?.name === 'CrRendererMain');
  const main = new Set(named.map(threadOf));
  const tasks = events.filter((event) => TASK.test(event.name) && main.has(threadOf(event)));
  if (tasks.length === 0) throw new Error('The trace of Chromium has no task of the main thread.');
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1_000;
}
