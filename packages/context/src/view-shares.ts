import type { Compaction, ToolOutputContent } from '@longhaul/protocol';
import { viewMessageTokens } from './request-size.ts';
import { isSummary } from './summary-message.ts';
import type { TokenCounter } from './tokens.ts';
import type { ViewEntry } from './view.ts';
import type { ViewAssistantPart, ViewMessage } from './view-message.ts';

/** Tokens of a request, divided by what they are. Each token is in exactly one share. */
export interface ContextShares {
  /** The system text. */
  system: number;
  /** Schemas of the tools. */
  tools: number;
  /** Of the summary: the facts computed from the log, the heading and the introduction. */
  ledger: number;
  /** Of the summary: the text that a model wrote. */
  narrative: number;
  /** Text of user messages. */
  user: number;
  /** Text that the model wrote, and reasoning that is sent back. */
  assistant: number;
  /** Names and arguments of tool calls. */
  calls: number;
  /** Text that tools returned, placeholders of pruned outputs included. */
  outputs: number;
  /** Images and files, of users and of tools. */
  media: number;
  /** What the chat format adds, and the short messages beside a summary. */
  framing: number;
}

/** The shares of a view: a request without its system text and tools. */
export type ViewShares = Omit<ContextShares, 'system' | 'tools'>;

export interface ViewSharesOptions {
  count: TokenCounter;
  /** The compaction whose summary the view shows. */
  compaction?: Pick<Compaction, 'summary'> | undefined;
}

export interface ContextSharesOptions extends ViewSharesOptions {
  /** Counted tokens of the system text. */
  systemTokens: number;
  /** Counted tokens of the tool schemas. */
  toolTokens: number;
  /** Real tokens for one counted token; see `RequestMeter`. */
  ratio: number;
  /** Predicted tokens of the whole request; see `RequestMeter`. */
  requestTokens: number;
}

/**
 * Divides the tokens of the next request. The shares add up to `requestTokens`: `framing` takes the remainder that
 * rounding leaves, unless it is negative.
 */
export function contextShares(
  entries: readonly ViewEntry[],
  { systemTokens, toolTokens, ratio, requestTokens, ...options }: ContextSharesOptions,
): ContextShares {
  const view = viewShares(entries, options);
  const real = (counted: number) => Math.round(counted * ratio);
  const shares = {
    system: real(systemTokens),
    tools: real(toolTokens),
    ledger: real(view.ledger),
    narrative: real(view.narrative),
    user: real(view.user),
    assistant: real(view.assistant),
    calls: real(view.calls),
    outputs: real(view.outputs),
    media: real(view.media),
  };
  const known = Object.values(shares).reduce((sum, share) => sum + share, 0);
  return { ...shares, framing: Math.max(0, requestTokens - known) };
}

/** Divides the counted tokens of a view. The shares add up to the counted tokens of its messages. */
export function viewShares(
  entries: readonly ViewEntry[],
  { count, compaction }: ViewSharesOptions,
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
    else if (!isSummary(message)) shares.framing += tokens;
    else addSummary(shares, tokens, count(compaction?.summary.narrative ?? ''));
  }
  return shares;
}

function addSummary(shares: ViewShares, tokens: number, narrativeTokens: number): void {
  shares.narrative += Math.min(tokens, narrativeTokens);
  shares.ledger += Math.max(0, tokens - narrativeTokens);
}

/** Returns how many tokens of the message were added to a share. */
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
