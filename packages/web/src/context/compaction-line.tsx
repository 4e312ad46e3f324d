import { lazy, Suspense, useState } from 'react';
import type { HiddenByCompaction } from '../conversation/rows.ts';
import { useSession } from '../data/use-session.ts';
import { formatTime, formatTokens, plural } from '../ui/format.ts';

const CompactionDialog = lazy(async () => ({
  default: (await import('./compaction-dialog.tsx')).CompactionDialog,
}));

/** A compaction in the conversation. It opens into what was hidden, and what replaces it. */
export function CompactionLine({ compaction }: { compaction: HiddenByCompaction }) {
  const session = useSession();
  const [isOpen, setOpen] = useState(false);
  const { compactionId, tokensBefore, tokensAfter, count, createdAt } = compaction;
  return (
    <div className="message compaction-line">
      <button type="button" className="compaction-button quiet" onClick={() => setOpen(true)}>
        Context compacted: {formatTokens(tokensBefore)} → {formatTokens(tokensAfter)} tokens ·{' '}
        {plural(count, 'message')} hidden from the model · {formatTime(createdAt)}
      </button>
      {isOpen && (
        <Suspense>
          <CompactionDialog session={session} compactionId={compactionId} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
