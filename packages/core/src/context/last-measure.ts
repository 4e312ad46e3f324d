import { computeBudget, triggerTokens } from '@longhaul/context/engine';
import type { EventOf, LonghaulEvent } from '@longhaul/protocol';
import type { CompressionSettings } from '../executor/window/context-window.ts';
import type { Store } from '../ports/index.ts';
import { findLastEvent } from '../session/events/find-last-event.ts';

type Usage = EventOf<'context:usage'>;
type Compressed = EventOf<'context:compressed'>;

/** The size of a session's last request, as its run measured it, or after a later compaction. */
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
  const { usableTokens, windowTokens } = last;
  const tokens = await tokensNow(last, sessionId, store);
  const trigger = compression.auto ? triggerOf(last, compression) : Number.POSITIVE_INFINITY;
  const isKnown = Number.isFinite(trigger);
  return { tokens, usableTokens, windowTokens, ...(isKnown && { triggerTokens: trigger }) };
}

/** Returns the size after the compactions that were made or undone since the last request. */
async function tokensNow(usage: Usage, sessionId: string, store: Store): Promise<number> {
  const newest = await findLastEvent(store, sessionId, isSize);
  if (newest?.type !== 'context:compressed' && newest?.type !== 'context:undone') return usage.tokens;
  let { tokens } = usage;
  for (const event of await store.readEvents(sessionId, { after: usage.number ?? 0 })) {
    if (event.type === 'context:compressed') tokens = event.compressedTokens;
    else if (event.type === 'context:undone') tokens += await savedBy(event.round, sessionId, store);
  }
  return tokens;
}

async function savedBy(round: number, sessionId: string, store: Store): Promise<number> {
  const isMade = (event: LonghaulEvent): event is Compressed => isCompressed(event) && event.round === round;
  const made = await findLastEvent(store, sessionId, isMade);
  return made === undefined ? 0 : made.originalTokens - made.compressedTokens;
}

function triggerOf(usage: Usage, { strategy }: CompressionSettings): number {
  const { windowTokens, usableTokens, systemTokens = 0, toolTokens = 0, reasoningTokens } = usage;
  const { maxOutputTokens = Math.max(1, windowTokens - usableTokens) } = usage;
  const fixedTokens = systemTokens + toolTokens;
  const budget = computeBudget({ windowTokens, maxOutputTokens, reasoningTokens, fixedTokens });
  return triggerTokens(strategy.trigger, budget);
}

function isSize(event: LonghaulEvent): event is Usage | Compressed | EventOf<'context:undone'> {
  return isUsage(event) || isCompressed(event) || event.type === 'context:undone';
}

function isCompressed(event: LonghaulEvent): event is Compressed {
  return event.type === 'context:compressed';
}

function isUsage(event: LonghaulEvent): event is Usage {
  return event.type === 'context:usage';
}
