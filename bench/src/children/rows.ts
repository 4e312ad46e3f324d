import type { PreparedSession } from '@longhaul/replay';
import type { BenchRow } from '../bench-result.ts';
import type { Delegation, Family } from './delegate.ts';
import { addSizes, type FamilyViews, NOTHING, type Sizes } from './family-views.ts';
import { exploringStretches, type Stretch } from './stretches.ts';

/** The tokens of one session, and those of its exploring stretches. */
export interface SessionShares {
  readonly format: string;
  readonly tokens: number;
  /** Tokens of all stretches with at least so many steps, and of the largest of them. */
  readonly byLength: ReadonlyMap<number, { stretches: number; tokens: number; largest: number }>;
  readonly delegations: readonly Delegation[];
}

export async function sharesOf(
  format: string,
  { prepared, family, lengths }: { prepared: PreparedSession; family: Family; lengths: readonly number[] },
): Promise<SessionShares> {
  const { session } = prepared;
  const byLength = new Map<number, { stretches: number; tokens: number; largest: number }>();
  for (const steps of lengths) {
    const stretches = await exploringStretches(session.messages, steps);
    const sizes = stretches.map((stretch) => tokensIn(prepared, stretch));
    byLength.set(steps, { stretches: sizes.length, tokens: sum(sizes), largest: Math.max(0, ...sizes) });
  }
  return { format, tokens: session.tokens, byLength, delegations: family.delegations };
}

function tokensIn({ session }: PreparedSession, { first, last }: Stretch): number {
  return sum(
    session.events
      .filter(({ messageIndex }) => messageIndex >= first && messageIndex <= last)
      .map(({ tokens }) => tokens),
  );
}

/** What children would save in the sessions of one format. */
export function formatRow(label: string, sessions: readonly SessionShares[]): BenchRow {
  const tokens = sum(sessions.map((session) => session.tokens));
  const all = sessions.flatMap(({ delegations }) => delegations);
  const stretchTokens = sum(all.map((one) => one.stretchTokens));
  const answers = sum(all.map((one) => one.answerTokens));
  const again = sum(all.map((one) => one.readAgainTokens));
  const longest = sessions.map(({ delegations }) =>
    Math.max(0, ...delegations.map((one) => one.stretchTokens)),
  );
  return {
    label,
    values: {
      sessions: sessions.length,
      'tokens k': Math.round(tokens / 1_000),
      stretches: all.length,
      'in stretches %': percent(stretchTokens, tokens),
      'in the longest %': percent(sum(longest), tokens),
      'saved at most %': percent(stretchTokens - answers, tokens),
      'saved at least %': percent(stretchTokens - answers - again, tokens),
      'not paid off': all.filter((one) => one.stretchTokens <= one.answerTokens + one.readAgainTokens).length,
      'half back': all.filter((one) => one.answerTokens + one.readAgainTokens > one.stretchTokens / 2).length,
      names: sum(all.map((one) => one.names)),
      'names lost': sum(all.map((one) => one.lostNames)),
    },
  };
}

/** The share of stretches of another length. */
export function lengthRow(steps: number, sessions: readonly SessionShares[]): BenchRow {
  const found = sessions.flatMap(({ byLength }) => byLength.get(steps) ?? []);
  const tokens = sum(sessions.map((session) => session.tokens));
  return {
    label: `from ${steps} steps`,
    values: {
      stretches: sum(found.map((one) => one.stretches)),
      'in stretches %': percent(sum(found.map((one) => one.tokens)), tokens),
      'in the longest %': percent(sum(found.map((one) => one.largest)), tokens),
    },
  };
}

/** Compactions and tokens of all sessions at one window, without and with children. */
export function windowRow(windowTokens: number, views: readonly FamilyViews[]): BenchRow {
  const here = views.filter((view) => view.windowTokens === windowTokens);
  const total = (side: 'alone' | 'parent' | 'children'): Sizes =>
    here.map((view) => view[side]).reduce(addSizes, NOTHING);
  const [alone, parent, children] = [total('alone'), total('parent'), total('children')];
  const family = addSizes(parent, children);
  return {
    label: `window ${windowTokens / 1_000}k`,
    values: {
      'compactions alone': alone.compactions,
      'of the parent': parent.compactions,
      'of children': children.compactions,
      'sent alone M': millions(alone.sentTokens),
      'sent by the family M': millions(family.sentTokens),
      'cost alone M': millions(alone.costTokens),
      'cost of the family M': millions(family.costTokens),
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Number(((part / whole) * 100).toFixed(1));
}

function millions(tokens: number): number {
  return Number((tokens / 1e6).toFixed(2));
}
