import {
  buildView,
  type CompactOutcome,
  type LedgerKeeper,
  pathsChanged,
  sessionSummary,
} from '@longhaul/context/engine';
import type { ActivityStatus, Compaction, EventPayload } from '@longhaul/protocol';
import { lastAnswer } from '../../session/messages/answer-text.ts';
import type { CompactionRecord, SessionWriter } from '../../session/session-writer.ts';
import { cutWarnings } from './cut-warnings.ts';

/** Stores a compaction with what belongs to it, and emits its events. `status` is the session's activity afterwards. */
export async function recordCompaction(
  writer: SessionWriter,
  { compaction, marks, warnings }: Extract<CompactOutcome, { status: 'compacted' }>,
  {
    status,
    ledger,
    ...added
  }: { status: ActivityStatus; ledger: LedgerKeeper } & Pick<CompactionRecord, 'checkpoint' | 'note'>,
): Promise<void> {
  const { log } = writer;
  const summary = sessionSummary({
    text: compaction.summary.narrative || lastAnswer(log.messages),
    files: pathsChanged(ledger.foldOf(log.messages)),
  });
  const whole: Compaction = { kind: 'compaction', sessionId: writer.lease.sessionId, ...compaction };
  const after = { messages: log.messages, marks: [...log.marks, whole, ...marks] };
  const events: EventPayload[] = [
    ...[...warnings, ...cutWarnings(log, marks)].map(
      (message) => ({ type: 'context:warning', message }) as const,
    ),
    {
      type: 'context:compressed',
      originalTokens: compaction.tokensBefore,
      compressedTokens: compaction.tokensAfter,
      beforeTokens: compaction.tokensBefore,
      afterTokens: compaction.tokensAfter,
      originalMessages: buildView(log).length,
      compressedMessages: buildView(after).length,
      strategy: compaction.strategy,
      reason: compaction.reason,
      round: compaction.round,
    },
    { type: 'session:status', status },
  ];
  await writer.recordCompaction(compaction, { marks, events, summary, ...added });
}
