import type { ChatMessage } from '@longhaul/protocol';
import { tooLarge } from './context-errors.ts';
import type { CompactedRequest } from './conversation-compactor.ts';
import { minAnswerRoom } from './output-room.ts';
import type { SizedRequest } from './request-size.ts';
import type { Prepared, PrepareOptions } from './types.ts';

/** Returns a request that is sent unchanged. */
export function untouched(sized: SizedRequest, warnings: readonly string[]): Prepared {
  const { request, manager, countedTokens, estimatedTokens } = sized;
  manager.updateUsage({ inputTokens: estimatedTokens, outputTokens: 0 });
  return {
    messages: request.messages,
    isRewritten: false,
    estimatedTokens,
    countedTokens,
    originalTokens: estimatedTokens,
    restarts: 0,
    warnings,
    manager,
    request,
    chain: sized.conversation.chain,
  };
}

/**
 * Returns a request that was made smaller, with its new size.
 *
 * @throws {LonghaulError} `context_exhausted` if it leaves no room for an answer.
 */
export function rewritten(
  sized: SizedRequest,
  { messages, compaction, isNew, warnings }: CompactedRequest,
  { onNotice }: PrepareOptions,
): Prepared {
  const { request, meter, manager, ratio, windowTokens, extraTokens, estimatedTokens: before } = sized;
  if (messages === request.messages) return untouched(sized, warnings);
  const countedTokens = meter.messages(messages) + extraTokens;
  const after = Math.ceil(ratio * countedTokens);
  if (after + minAnswerRoom(windowTokens) > windowTokens) throw tooLarge(after, windowTokens);
  const received = new Set(request.messages);
  const kept = messages.filter((message) => received.has(message)).length;
  const { round = 0, summary = NO_SUMMARY, hides = [] } = compaction ?? {};
  const isByModel = summary.narrative !== '';
  if (isNew) onNotice?.({ kind: 'compacted', before, after, round, kept, isByModel });
  const allWarnings = [...warnings, ...cutResultWarnings(sized, messages)];
  manager.updateUsage({ inputTokens: after, outputTokens: 0 });
  manager.resetRestartFlag();
  return {
    messages,
    isRewritten: true,
    estimatedTokens: after,
    countedTokens,
    originalTokens: before,
    compacted:
      compaction === undefined
        ? undefined
        : { before, after, round, isFromCache: !isNew, kept, hidden: hides.length, isByModel, summary },
    restarts: 0,
    warnings: allWarnings,
    manager,
    request,
    chain: sized.conversation.chain,
  };
}

const NO_SUMMARY = { ledger: '', narrative: '' };

function cutResultWarnings({ manager }: SizedRequest, messages: readonly ChatMessage[]): string[] {
  const sent = new Set(messages);
  return (manager.getLastToolResult() ?? []).flatMap((result) => {
    if (sent.has(result)) return [];
    const { resultTokens } = manager.checkBeforeToolResponse([result]);
    return [`A tool result of ${resultTokens} tokens does not fit into the window: its middle was cut.`];
  });
}
