import type { Mark } from '@longhaul/protocol';
import type { SummaryReply } from '../narrative.ts';
import type { CompressionStrategy } from '../strategy.ts';
import type { TokenCounter } from '../tokens.ts';
import type { MessageFormat } from './message-format.ts';
import type { RecallInput } from './recall.ts';

export interface ContextSessionOptions<M> {
  /** `openAiChatFormat()`, `aiSdkFormat()`, or one's own. */
  format: MessageFormat<M>;
  /** The model's window as its server enforces it: prompt and answer together. */
  windowTokens: number;
  /** The most the model writes in one answer. */
  maxOutputTokens: number;
  /** Default: `reactive-overflow`. */
  strategy?: CompressionStrategy;
  /** Default: `countByClasses`, which needs no vocabulary and is corrected by `learn`. */
  count?: TokenCounter;
  /** Writes the part of a summary that a model must write. Absent: the ledger, computed from the log, stands alone. */
  summarise?: SessionSummarise<M>;
  /** Default 0.2. */
  ledgerShare?: number;
  /** Tools whose outputs are never pruned. Default: `todo`. */
  protectedTools?: readonly string[];
  /** What `toJSON` gave, after any way through JSON. */
  state?: ContextSessionState<M>;
}

/**
 * Asks a model to summarise. Send `messages` as any request of the session, with the same system text and tools, and give back the text;
 * a call in the answer is not run. What it throws costs the narrative, not the session, except for an
 * `AbortError`: then `fit` throws a `LonghaulError` with the code `cancelled`, and nothing was compacted.
 */
export type SessionSummarise<M> = (request: {
  messages: M[];
  maxOutputTokens: number;
}) => Promise<string | SummaryReply>;

/** All of a session, as JSON if the messages are. */
export interface ContextSessionState<M> {
  version: 1;
  messages: M[];
  marks: Mark[];
  /** What a refusal named, when it was less than what the session was told. */
  learnedWindowTokens?: number;
  ratio: number;
  nextId: number;
}

export interface FitOptions {
  /** System text that is sent beside the messages. */
  system?: string;
  /** Schemas of the tools, as they are sent. */
  tools?: unknown;
}

export interface FittedMessages<M> {
  /** What to send. Messages that nothing was cut from are the very objects that were appended. */
  messages: M[];
  predictedTokens: number;
  /** Room for the answer: ask for no more. */
  maxOutputTokens: number;
  /** Present when old messages were just put behind a summary. */
  compacted?: CompactedMessages;
}

export interface CompactedMessages {
  round: number;
  tokensBefore: number;
  tokensAfter: number;
  summary: string;
  /** Things a person should know, such as a rejected narrative. */
  warnings: string[];
}

export interface ContextSession<M> {
  /** Adds the session's next messages, a tool's results included. Nothing is ever taken away. */
  append(messages: readonly M[]): void;
  /** How many were appended. */
  readonly messageCount: number;
  /**
   * What to send now: all of the session if it fits, else a summary in the place of its older part. One call at a time.
   *
   * @throws {LonghaulError} `context_exhausted` if system text, tools, the task and the last step alone are too large.
   */
  fit(options?: FitOptions): Promise<FittedMessages<M>>;
  /** Takes how many input tokens the last request really had, cached ones included. Undefined is ignored. */
  learn(inputTokens: number | undefined): void;
  /** The server refused the last request as too long, with what it said of its window and the request: the next `fit` makes room. */
  learnRefusal(named?: { windowTokens?: number; requestTokens?: number }): void;
  /** Answers a call of `RECALL_TOOL`: searches the whole session, or reads a part of it by its handle. Never throws. */
  recall(input: RecallInput): string;
  toJSON(): ContextSessionState<M>;
}
