import type { Mark } from '@longhaul/protocol';
import type { SummaryReply } from '../narrative.ts';
import type { CompressionStrategy } from '../strategy.ts';
import type { TokenCounter } from '../tokens.ts';
import type { MessageFormat } from './message-format.ts';
import type { RecallInput } from './recall.ts';

export interface ContextSessionOptions<M> {
  /** `openAiChatFormat()`, `aiSdkFormat()`, or your own format. */
  format: MessageFormat<M>;
  /** The model's window as its server enforces it: prompt and answer together. */
  windowTokens: number;
  /** The most tokens that the model writes in one answer. */
  maxOutputTokens: number;
  /** Default: `reactive-overflow`. */
  strategy?: CompressionStrategy;
  /** Default: `countByClasses`, which needs no vocabulary. `learn` corrects it. */
  count?: TokenCounter;
  /**
   * Writes the narrative of a summary with your model. Without it, a summary is the ledger alone, which is computed
   * from the log.
   */
  summarise?: SessionSummarise<M>;
  /** Share of the message budget that the ledger may take. Default 0.2. */
  ledgerShare?: number;
  /** Tools whose outputs are never pruned. Default: `todo`. */
  protectedTools?: readonly string[];
  /** The result of `toJSON`, also after `JSON.stringify` and `JSON.parse`. */
  state?: ContextSessionState<M>;
}

/**
 * Asks a model to summarise. Send `messages` as you send other requests of the session, with the same system text and
 * tools, and return the answer's text. Do not run calls in the answer.
 *
 * If it throws, the summary has no new narrative, and the session continues. An `AbortError` is different: `fit` throws
 * a `LonghaulError` with the code `cancelled`, and nothing is compacted.
 */
export type SessionSummarise<M> = (request: {
  messages: M[];
  maxOutputTokens: number;
}) => Promise<string | SummaryReply>;

/** The whole session. It is JSON if the messages are. */
export interface ContextSessionState<M> {
  version: 1;
  messages: M[];
  marks: Mark[];
  /** The window that a refusal named, if it was smaller than `windowTokens`. */
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
  /** The messages to send. A message without a cut or pruned part is the very object that was appended. */
  messages: M[];
  predictedTokens: number;
  /** Room for the answer. Don't ask for more. */
  maxOutputTokens: number;
  /** Present if this call replaced older messages by a summary. */
  compacted?: CompactedMessages;
}

export interface CompactedMessages {
  round: number;
  tokensBefore: number;
  tokensAfter: number;
  summary: string;
  /** Messages for the user, for example about a rejected narrative. */
  warnings: string[];
}

export interface ContextSession<M> {
  /** Adds the session's next messages, tool results included. No message is ever removed. */
  append(messages: readonly M[]): void;
  /** Number of appended messages. */
  readonly messageCount: number;
  /**
   * Returns the messages to send: the whole session if it fits, else with a summary in place of its older part. Don't
   * run two calls at once.
   *
   * @throws {LonghaulError} `context_exhausted` if the system text, the tools, the task and the last step alone are too
   * large.
   */
  fit(options?: FitOptions): Promise<FittedMessages<M>>;
  /** Records the input tokens of the last request, cached ones included. Undefined is ignored. */
  learn(inputTokens: number | undefined): void;
  /**
   * Records that the server refused the last request as too long, with the sizes that the refusal named. The next `fit`
   * makes room.
   */
  learnRefusal(named?: { windowTokens?: number; requestTokens?: number }): void;
  /** Answers a call of `RECALL_TOOL`: searches the whole session, or reads a part of it by its handle. Never throws. */
  recall(input: RecallInput): string;
  toJSON(): ContextSessionState<M>;
}
