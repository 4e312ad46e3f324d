import { activeMarks } from '../log.ts';
import { selectWith } from '../selection/select.ts';
import type { PlanInput } from '../strategy.ts';
import { buildView } from '../view.ts';
import type { CompactOptions } from './options.ts';

/** Returns the input of a strategy for the current session. Tokens are real ones, as everywhere in a compaction. */
export function planInput(options: CompactOptions): PlanInput {
  const { log, budget, meter, summarise, summariseByProvider, signal } = options;
  const marks = activeMarks(log.marks);
  const select = options.select ?? (summarise === undefined ? undefined : selectWith(summarise));
  return {
    log,
    marks,
    entries: buildView(log),
    budget,
    meter,
    count: (text) => Math.ceil(options.count(text) * meter.ratio),
    round: (marks.compaction?.round ?? 0) + 1,
    summarise,
    select,
    summariseByProvider,
    signal,
  };
}
