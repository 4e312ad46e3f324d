import { computeBudget, triggerTokens } from '@longhaul/context';
import type { EventOf, LonghaulEvent } from '@longhaul/protocol';
import type { CompressionSettings } from '../executor/window/context-window.ts';
import type { Store } from '../ports/index.ts';
import { findLastEvent } from '../session/events/find-last-event.ts';

/** The size of a session's last request, as its run measured it. */
export interface LastMeasure {
  tokens: number;
  usableTokens: number;
  windowTokens: number;
  /** Size at which a request is compacted now. Absent: no automatic compaction. */
  triggerTokens?: number;
}

/** Returns undefined for a session that has not run. Reads no message. */
export async function lastMeasure(
  sessionId: string,
  { store, compression }: { store: Store; compression: CompressionSettings },
): Promise<LastMeasure | undefined> {
  const last = await findLastEvent(store, sessionId, isUsage);
  if (last === undefined) return undefined;
  const { tokens, usableTokens, windowTokens } = last;
  const trigger = compression.auto ? triggerOf(last, compression) : Number.POSITIVE_INFINITY;
  const isKnown = Number.isFinite(trigger);
  return { tokens, usableTokens, windowTokens, ...(isKnown && { triggerTokens: trigger }) };
}

function triggerOf(usage: EventOf<'context:usage'>, { strategy }: CompressionSettings): number {
  const { windowTokens, usableTokens, systemTokens = 0, toolTokens = 0, reasoningTokens } = usage;
  const { maxOutputTokens = Math.max(1, windowTokens - usableTokens) } = usage;
  const fixedTokens = systemTokens + toolTokens;
  const budget = computeBudget({ windowTokens, maxOutputTokens, reasoningTokens, fixedTokens });
  return triggerTokens(strategy.trigger, budget);
}

function isUsage(event: LonghaulEvent): event is EventOf<'context:usage'> {
  return event.type === 'context:usage';
}
