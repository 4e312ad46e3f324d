import { formatTokens } from './format.ts';
import type { Paint } from './paint.ts';

const CELLS = 10;

export interface Fill {
  tokens: number;
  usableTokens: number;
  windowTokens: number;
}

/** `ctx ▓▓▓▓▓░░░░░ 52 %  8.4k/16k`: how full the window is, coloured by the room until a compaction. */
export function contextMeter({ tokens, usableTokens, windowTokens }: Fill, paint: Paint): string {
  const share = windowTokens === 0 ? 0 : tokens / windowTokens;
  const full = Math.max(0, Math.min(CELLS, Math.round(share * CELLS)));
  const urgency = tokens / Math.max(1, usableTokens);
  const color = urgency >= 0.9 ? paint.bad : urgency >= 0.7 ? paint.warn : paint.good;
  const bar = `${color('▓'.repeat(full))}${paint.dim('░'.repeat(CELLS - full))}`;
  const percent = `${Math.round(share * 100)} %`.padStart(5);
  const figures = `${formatTokens(tokens)}/${formatTokens(windowTokens)}`;
  return `${paint.dim('ctx')} ${bar}${percent} ${paint.dim(figures.padStart(9))}`;
}
