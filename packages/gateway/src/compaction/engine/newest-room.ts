import type {
  CompactionPlan,
  CompressionStrategy,
  ContextLog,
  PlanInput,
  ViewEntry,
} from '@longhaul/context';
import type { CompactionTarget } from './compaction-target.ts';
import { cutToFit } from './cut-to-fit.ts';
import { withRoomForDocument } from './document-room.ts';

/** What is to be answered now, as it is shown: the question, or the step whose results have just come. */
export function newestEntry({ messages }: ContextLog, entries: readonly ViewEntry[]): ViewEntry | undefined {
  const newest = messages.at(-1);
  return entries.findLast(({ source }) => source !== undefined && source === newest);
}

/**
 * The same strategy, with the room that is set aside for what is to be answered now. The engine cuts a message that is too large alone to a
 * quarter of the room, or all large ones to one length: an agent reads the rest again when it needs it. Behind a gateway nobody can.
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
