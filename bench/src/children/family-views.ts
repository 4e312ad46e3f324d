import {
  createMethod,
  type PreparedSession,
  prepareSession,
  replaySession,
  strategyNames,
} from '@longhaul/replay';
import type { Family } from './delegate.ts';

export interface Sizes {
  readonly compactions: number;
  readonly sentTokens: number;
  readonly costTokens: number;
}

/** The views of one session at one window: as it was recorded, and with children. */
export interface FamilyViews {
  readonly windowTokens: number;
  readonly alone: Sizes;
  readonly parent: Sizes;
  readonly children: Sizes;
}

/** Prompt and tool schemas, which each child's first request sends anew. In a longer session they are cached. */
const FIXED_TOKENS = 2_000;

/** Replays the session, the parent and each child with the default strategy in windows of the same size. */
export async function familyViews(
  prepared: PreparedSession,
  { parent, delegations }: Family,
  windowTokens: number,
): Promise<FamilyViews> {
  const alone = await sizesOf(prepared, windowTokens);
  if (delegations.length === 0) return { windowTokens, alone, parent: alone, children: NOTHING };
  let children = NOTHING;
  for (const { child } of delegations) {
    const { costTokens, ...sizes } = await sizesOf(prepareSession(child), windowTokens);
    children = addSizes(children, { ...sizes, costTokens: costTokens + FIXED_TOKENS });
  }
  return { windowTokens, alone, parent: await sizesOf(prepareSession(parent), windowTokens), children };
}

export const NOTHING: Sizes = { compactions: 0, sentTokens: 0, costTokens: 0 };

export function addSizes(left: Sizes, right: Sizes): Sizes {
  return {
    compactions: left.compactions + right.compactions,
    sentTokens: left.sentTokens + right.sentTokens,
    costTokens: left.costTokens + right.costTokens,
  };
}

async function sizesOf(prepared: PreparedSession, windowTokens: number): Promise<Sizes> {
  const [strategy = ''] = strategyNames();
  const { tally } = await replaySession(prepared, createMethod(strategy), windowTokens);
  return { compactions: tally.compactions, sentTokens: tally.sentTokens, costTokens: tally.costTokens };
}
