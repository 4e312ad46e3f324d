import { shownModel } from '@longhaul/protocol';
import { cutLine, formatCost, formatTokens, widthOf } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';

/** How full the window is. */
export interface Fill {
  tokens: number;
  windowTokens: number;
  /** Tokens at which the session is compacted. */
  triggerTokens: number;
}

export interface StatusFacts {
  model: string | undefined;
  folder: string;
  fill: Fill | undefined;
  cost: number | undefined;
  tokens: number;
  /** What the keys do now. */
  hint: string;
  /** The hint says how to stop what is running: it is always shown. */
  isHintNeeded: boolean;
}

/** `ctx 62 % · 9k until compaction`: always in words, so that no colour is needed to read it. */
function meterText({ tokens, windowTokens, triggerTokens }: Fill): string {
  const share = windowTokens === 0 ? 0 : Math.round((tokens / windowTokens) * 100);
  const left = triggerTokens - tokens;
  const until = left > 0 ? `${formatTokens(left)} until compaction` : 'compacts at the next step';
  return `ctx ${share} % · ${until}`;
}

/** The last line: model, context, cost, folder. What does not fit is left out, the least important first. */
export function statusBar(facts: StatusFacts, { columns, paint }: { columns: number; paint: Paint }): string {
  const { model = 'no model: /model', folder, fill, cost, tokens, hint, isHintNeeded } = facts;
  const parts = [
    { text: shownModel(model), weight: 3 },
    ...(fill === undefined ? [] : [{ text: meterText(fill), weight: 4 }]),
    ...(tokens === 0 ? [] : [{ text: `${formatTokens(tokens)} tokens`, weight: 1 }]),
    ...(cost === undefined || cost === 0 ? [] : [{ text: formatCost(cost), weight: 2 }]),
    { text: folder, weight: 0 },
    { text: hint, weight: isHintNeeded ? 5 : 1 },
  ];
  let shown = parts.filter(({ text }) => text !== '');
  while (shown.length > 1 && widthOf(joined(shown)) > columns) {
    const least = Math.min(...shown.map(({ weight }) => weight));
    const last = shown.findLastIndex(({ weight }) => weight === least);
    shown = shown.toSpliced(last, 1);
  }
  const urgency = fill === undefined ? 0 : fill.tokens / Math.max(1, fill.triggerTokens);
  const line = cutLine(joined(shown), columns);
  return urgency >= 0.9 ? paint.warn(line) : paint.dim(line);
}

function joined(parts: readonly { text: string }[]): string {
  return parts.map(({ text }) => text).join(' · ');
}
