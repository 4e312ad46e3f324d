import { BUILT_AT_ONCE, CHECK_PART, callFor } from './child-parts.ts';
import {
  COMMAND_LINE,
  END_TO_END,
  FINAL_CHECK,
  type PlanItem,
  README,
  SAMPLE_DECK,
  SCAFFOLD,
  SCHEDULING,
} from './plan.ts';

/** Whether the task asks for children. */
export function isWithChildren(prose: string): boolean {
  return /agents of their own/i.test(prose);
}

const THREE_AT_ONCE: PlanItem = {
  todo: 'Store, CSV and sample deck, by three agents at once',
  steps: [
    {
      text: 'The schedule is correct. Store, CSV and sample deck do not depend on each other, so three agents make them at once.',
      calls: () => BUILT_AT_ONCE.map(callFor),
    },
  ],
};

/** What remains of the sample deck once a child has made it. */
const IMPORT: PlanItem = {
  todo: 'Import and review of the sample deck',
  steps: [
    {
      text: 'The tests cover the whole program, and the sample deck is there. I import it twice. The second import must add nothing.',
      calls: SAMPLE_DECK.steps[3]?.calls ?? (() => []),
    },
    ...SAMPLE_DECK.steps.slice(4),
  ],
};

const CHECKED: PlanItem = {
  todo: FINAL_CHECK.todo,
  steps: [
    {
      text: 'The last item is the check against the task. An agent that only reads looks through all files; I need only its answers.',
      calls: () => [callFor(CHECK_PART)],
    },
    ...FINAL_CHECK.steps.slice(3),
  ],
};

/** The plan of the same application, with children for the store, CSV, the sample deck and the final check. */
export const PLAN_WITH_CHILDREN: readonly PlanItem[] = [
  SCAFFOLD,
  SCHEDULING,
  THREE_AT_ONCE,
  COMMAND_LINE,
  END_TO_END,
  IMPORT,
  README,
  CHECKED,
];
