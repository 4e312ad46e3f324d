import { isOpen, type Message } from '@longhaul/protocol';
import { type ActiveMarks, activeMarks, type ContextLog, firstUserMessage, liveLog } from './log.ts';
import { ViewBuilder, type ViewEntry } from './view.ts';

/** Keeps a session's view between steps, so that the next step only costs its new messages. */
export interface ViewKeeper {
  /** Returns the same as `buildView`. A closed message is converted once. New marks rebuild the view. */
  entriesOf(log: ContextLog): ViewEntry[];
}

/** Creates a keeper that builds the view of a growing log without reading all of it again. */
export function createViewKeeper(): ViewKeeper {
  let kept: Kept | undefined;
  return {
    entriesOf(whole) {
      const log = liveLog(whole);
      const marks = activeMarks(log.marks);
      if (kept === undefined || !continues(kept, log, marks)) kept = start(log, marks);
      settle(kept, log.messages);
      const rest = kept.builder.fork();
      for (const message of log.messages.slice(kept.settled)) rest.add(message);
      return [...kept.builder.entries, ...rest.entries, ...rest.ending()];
    },
  };
}

interface Kept {
  marks: ActiveMarks;
  first: Message | undefined;
  builder: ViewBuilder;
  /** How many messages the builder has. All of them are closed and do not change. */
  settled: number;
  last: Message | undefined;
}

function start(log: ContextLog, marks: ActiveMarks): Kept {
  const first = firstUserMessage(log.messages);
  return { marks, first, builder: new ViewBuilder(marks, first), settled: 0, last: undefined };
}

function continues(kept: Kept, { messages }: ContextLog, marks: ActiveMarks): boolean {
  const isSamePast = kept.settled === 0 || messages[kept.settled - 1] === kept.last;
  return isSamePast && kept.marks === marks && kept.first !== undefined;
}

function settle(kept: Kept, messages: readonly Message[]): void {
  for (;;) {
    const next = messages[kept.settled];
    if (next === undefined || next.status === 'running' || next.parts.some(isOpen)) return;
    kept.builder.add(next);
    kept.settled += 1;
    kept.last = next;
  }
}
