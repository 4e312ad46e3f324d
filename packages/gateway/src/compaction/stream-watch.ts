import type { TokenCounter } from '@longhaul/context/engine';
import type { AgentContextManager } from '../agent-context-manager.ts';
import type { StreamWatch } from './types.ts';

/** Deltas are counted in pieces of at least this size. Counted word by word, a text has too many tokens. */
const PIECE_CHARS = 80;

export interface StreamWatchOptions {
  manager: AgentContextManager;
  count: TokenCounter;
  inputTokens: number;
  windowTokens: number;
}

/** Counts the tokens of a stream while it arrives and decides when it must stop. */
export function createStreamWatch({
  manager,
  count,
  inputTokens,
  windowTokens,
}: StreamWatchOptions): StreamWatch {
  let counted = 0;
  let piece = '';
  let input = inputTokens;
  manager.updateUsage({ inputTokens, outputTokens: 0 });
  const look = () => {
    manager.updateUsage({ inputTokens: input, outputTokens: counted });
    if (manager.isOverLimit()) return 'over';
    // If the prompt alone is near the limit, stopping at once would gain nothing, so half of the free window is used
    // first.
    return manager.isApproachingLimit() && counted >= (windowTokens - input) / 2 ? 'stop' : 'go-on';
  };
  return {
    get outputTokens() {
      return counted + (piece === '' ? 0 : count(piece));
    },
    add(text) {
      piece += text;
      if (piece.length < PIECE_CHARS) return 'go-on';
      counted += count(piece);
      piece = '';
      return look();
    },
    update({ promptTokens, completionTokens }) {
      if (promptTokens > 0) input = promptTokens;
      if (completionTokens !== undefined && completionTokens > 0) {
        counted = completionTokens;
        piece = '';
      }
      return look();
    },
  };
}
