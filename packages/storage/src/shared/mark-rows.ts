import type { CompactionHiding, MarkHiding } from './forked-marks.ts';
import type { HiddenRange } from './hidden-messages.ts';
import { rowChecksum } from './row-checksum.ts';

/** A mark as it is stored. */
export type StoredMark = MarkHiding<HiddenRange>;

export function compactionRow(
  sessionId: string,
  { kind, summary, hides, ...columns }: CompactionHiding<HiddenRange>,
) {
  const json = { summaryContent: JSON.stringify(summary), hides: JSON.stringify(hides) };
  const row = { ...columns, sessionId, ...json };
  return { ...row, checksum: rowChecksum('compactions', row) };
}
