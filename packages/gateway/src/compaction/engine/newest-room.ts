import type {
  CompactionPlan,
  CompressionStrategy,
  ContextLog,
  PlanInput,
  ViewEntry,
} from '@longhaul/context/engine';
import type { CompactionTarget } from './compaction-target.ts';
import { cutToFit } from './cut-to-fit.ts';
import { withRoomForDocument } from './document-room.ts';

/**
 * Returns the view's entry of the newest message, which is to be answered: the question, or the step with new tool
 * results.
 */
export function newestEntry({ messages }: ContextLog, entries: readonly ViewEntry[]): ViewEntry | undefined {
  const newest = messages.at(-1);
  return entries.findLast(({ source }) => source !== undefined && source === newest);
}

/**
 * Returns the strategy with other cuts: the newest message and a recent document get the room of `target`. The engine
 * alone cuts a large message to a quarter of the room, or all large ones to one length, since an agent can read the
 * rest with `recall`. A gateway's models have no `recall`.
 */
export function withRooms(
  strategy: CompressionStrategy,
  { target, ledgerShare }: { target: CompactionTarget; ledgerShare: number },
): CompressionStrategy {
  const validate = strategy.validate?.bind(strategy);
  return {
    name: strategy.name,
    trigger: strategy.trigger,
    async plan(input) {
      const plan = withRoomForNewest(await strategy.plan(input), input, target.newestTokens);
      return withRoomForDocument(plan, input, { restTokens: target.restTokens, ledgerShare });
    },
    validate,
  };
}

function withRoomForNewest(plan: CompactionPlan, input: PlanInput, maxTokens: number): CompactionPlan {
  const newest = newestEntry(input.log, input.entries);
  if (newest?.source === undefined) return plan;
  const { id } = newest.source;
  const others = plan.marks.filter((mark) => mark.kind !== 'cut' || mark.messageId !== id);
  const isWhole = input.meter.messageTokens(newest.message) <= maxTokens;
  const cuts = isWhole ? [] : cutToFit(newest.source, maxTokens, input);
  return { ...plan, marks: [...others, ...cuts] };
}
