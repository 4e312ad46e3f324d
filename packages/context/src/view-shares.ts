import type { Compaction, ToolOutputContent } from '@longhaul/protocol';
import { viewMessageTokens } from './request-size.ts';
import type { TokenCounter } from './tokens.ts';
import type { ViewEntry } from './view.ts';
import type { ViewAssistantPart, ViewMessage } from './view-message.ts';

/** Counted tokens of a view by what they are. */
export interface ViewShares {
  /** Of the summary: facts computed from the log, the heading included. */
  ledger: number;
  /** Of the summary: what a model wrote. */
  narrative: number;
  /** Text of user messages. */
  user: number;
  /** What the model wrote: its text, and reasoning that is sent back. */
  assistant: number;
  /** Names and arguments of tool calls. */
  calls: number;
  /** Text that tools returned, placeholders of pruned outputs included. */
  outputs: number;
  /** Images and files, wherever they stand. */
  media: number;
  /** What the chat format adds, and the line behind a summary. */
  framing: number;
}

/**
 * What fills a request: every token of the view stands in exactly one share.
 *
 * @param compaction The one whose summary the view shows.
 */
export function viewShares(
  entries: readonly ViewEntry[],
  { count, compaction }: { count: TokenCounter; compaction?: Pick<Compaction, 'summary'> | undefined },
): ViewShares {
  const shares: ViewShares = {
    ledger: 0,
    narrative: 0,
    user: 0,
    assistant: 0,
    calls: 0,
    outputs: 0,
    media: 0,
    framing: 0,
  };
  for (const { message, source } of entries) {
    const tokens = viewMessageTokens(message, count);
    if (source !== undefined) shares.framing += tokens - addMessage(shares, message, count);
    else if (message.role === 'user') shares.framing += tokens;
    else addSummary(shares, tokens, count(compaction?.summary.narrative ?? ''));
  }
  return shares;
}

function addSummary(shares: ViewShares, tokens: number, narrativeTokens: number): void {
  shares.narrative += Math.min(tokens, narrativeTokens);
  shares.ledger += Math.max(0, tokens - narrativeTokens);
}

/** @returns How many tokens of the message were given to a share. */
function addMessage(shares: ViewShares, message: ViewMessage, count: TokenCounter): number {
  const empty = viewMessageTokens({ role: 'user', content: [] }, count);
  const tokensOf = (part: ToolOutputContent | ViewAssistantPart) =>
    part.type === 'image' || part.type === 'file'
      ? viewMessageTokens({ role: 'user', content: [part] }, count) - empty
      : viewMessageTokens({ role: 'assistant', content: [part] }, count) - empty;
  let given = 0;
  const give = (share: keyof ViewShares, tokens: number) => {
    shares[share] += tokens;
    given += tokens;
  };
  for (const part of message.content) {
    if (part.type === 'image' || part.type === 'file') give('media', tokensOf(part));
    else if (part.type !== 'tool') give(message.role, tokensOf(part));
    else {
      give('calls', count(part.name) + count(JSON.stringify(part.input)));
      for (const content of part.output)
        give(content.type === 'text' ? 'outputs' : 'media', tokensOf(content));
    }
  }
  return given;
}
