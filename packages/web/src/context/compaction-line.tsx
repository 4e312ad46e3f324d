import type { HiddenByCompaction } from '../conversation/rows.ts';
import { formatTokens } from '../ui/format.ts';

/** A compaction in the conversation. */
export function CompactionLine({ compaction }: { compaction: HiddenByCompaction }) {
  const { tokensBefore, tokensAfter } = compaction;
  return (
    <p className="message quiet">
      Context compacted: {formatTokens(tokensBefore)} → {formatTokens(tokensAfter)} tokens
    </p>
  );
}
