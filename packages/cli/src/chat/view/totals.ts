import type { LonghaulEvent } from '@longhaul/protocol';
import type { ContextInfo } from '@longhaul/protocol/api';
import type { Fill } from './status-bar.ts';

/** The figures of the status line: the window, and the tokens and cost since the session was opened. */
export class Totals {
  fill: Fill | undefined;
  cost: number | undefined;
  tokens = 0;

  reset(): void {
    this.fill = undefined;
    this.cost = undefined;
    this.tokens = 0;
  }

  take(event: LonghaulEvent): void {
    if (event.type === 'context:usage') {
      const { tokens, windowTokens, usableTokens } = event;
      // The trigger is known from a measure of the same window.
      const isSame = this.fill?.windowTokens === windowTokens;
      this.fill = {
        tokens,
        windowTokens,
        triggerTokens: (isSame && this.fill?.triggerTokens) || usableTokens,
      };
    }
    if (event.type !== 'llm:response') return;
    this.tokens += event.tokenUsage?.totalTokens ?? 0;
    if (event.cost !== undefined) this.cost = (this.cost ?? 0) + event.cost;
  }

  measured({ tokens, window }: Pick<ContextInfo, 'tokens' | 'window'>): void {
    const { windowTokens, usableTokens, triggerTokens = usableTokens } = window;
    if (windowTokens === undefined || triggerTokens === undefined) return;
    this.fill = { tokens, windowTokens, triggerTokens };
  }
}
