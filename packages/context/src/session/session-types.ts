import type { Mark } from '@longhaul/protocol';
import type { MediaCounter } from '../media/count-media.ts';
import type { SummaryReply } from '../narrative.ts';
import type { CancelSignal, CompressionStrategy } from '../strategy.ts';
import type { TokenCounter } from '../tokens.ts';
import type { MessageFormat } from './message-format.ts';

/** The format of the messages, the window, and how a session counts and compacts. */
export interface ContextSessionOptions<M> {
  /** `openAiChatFormat()`, another format of this package, or your own. */
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
   * Predicts the tokens of an image or a file. Pass `countMediaOf(model)`, or your own function. Default:
   * `countAnyMedia`, for a model of unknown provider. `learn` corrects it, apart from the text.
   */
  countMedia?: MediaCounter;
  /**
   * Writes the narrative of a summary with your model. Without it, a summary is the ledger alone, which is computed
   * from the log.
   */
  summarise?: SessionSummarise<M> | undefined;
  /** Share of the message budget that the ledger may take. Default 0.2. */
  ledgerShare?: number;
  /** Tools whose outputs are never pruned. Default: `todo`. */
  protectedTools?: readonly string[];
  /** The result of `toJSON` or `marksOnly`, also after `JSON.stringify` and `JSON.parse`. */
  state?: ContextSessionState<M> | undefined;
  /**
   * The messages of a state that has none: the history that the program has stored, from its first message. It may be
   * longer than the one that the state was made with.
   */
  messages?: readonly M[] | undefined;
}

/** An `AbortSignal`, in every environment that has that type. */
export type FitSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : CancelSignal;

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
  /** The signal of the `fit` that compacts. Present if that has one. */
  signal?: FitSignal;
}) => Promise<string | SummaryReply>;

/** The whole session. It is JSON if the messages are; bytes in them are Base64. */
export interface ContextSessionState<M> {
  version: 1;
  /** Absent in the result of `marksOnly`. */
  messages?: M[];
  /** Number of messages that the session had. Absent in a state of an older version. */
  messageCount?: number;
  marks: Mark[];
  /** The window that a refusal named, if it was smaller than `windowTokens`. */
  learnedWindowTokens?: number;
  /** The last request was refused as too long, and `fit` has not made room since. Absent: no. */
  wasRefused?: boolean;
  /** Real tokens for one counted token of text. */
  ratio: number;
  /** Real tokens for one counted token of media. Absent in a state of an older version: 1. */
  mediaRatio?: number;
  nextId: number;
  /**
   * By the id of a compaction: the number of messages when it was made. `truncate` drops a compaction that knows more
   * messages than are left.
   */
  compactedAt?: Record<string, number>;
}

/** What is sent beside the messages of a request. */
export interface FitOptions {
  /** System text that is sent beside the messages. */
  system?: string;
  /** Schemas of the tools, as they are sent. */
  tools?: unknown;
  /** Cancels a compaction, and is passed to `summarise`. */
  signal?: FitSignal | undefined;
}

/** A request that fits. */
export interface FittedMessages<M> {
  /** The messages to send. A message that is not cut, pruned or joined is the very object that was appended. */
  messages: M[];
  /** Tokens of these messages, as they are returned, with the system text and the tools. */
  predictedTokens: number;
  /** Room for the answer. Don't ask for more. */
  maxOutputTokens: number;
  /**
   * Present if older messages were replaced by a summary during this call, by it or by another one at the same time.
   */
  compacted?: CompactedMessages;
}

/** What a compaction did. */
export interface CompactedMessages {
  round: number;
  tokensBefore: number;
  tokensAfter: number;
  summary: string;
  /** Messages for the user, for example about a rejected narrative. */
  warnings: string[];
}

/** A conversation whose requests stay within the window of the model. */
export interface ContextSession<M> {
  /**
   * Adds the session's next messages, tool results included. Don't change a message afterwards: pass a changed copy to
   * `sync`.
   *
   * @throws {LonghaulError} `invalid_request` if the format's reading of a message is invalid, or for a tool result
   * before any answer. Nothing is appended then.
   */
  append(messages: readonly M[]): void;
  /**
   * Adds the messages that the session does not have yet, for a host that keeps the whole history itself.
   *
   * @param messages The whole history, from its first message. The beginning must have the same content as the messages
   * appended so far; the objects may differ.
   * @returns The number of added messages.
   * @throws {LonghaulError} `invalid_request` if the history diverges: a message differs from the appended one, or the
   * history is shorter. `data` has `messageIndex`, the first index that differs. Nothing is appended then. To accept an
   * edited history, call `truncate` with that index, and `sync` again.
   */
  sync(messages: readonly M[]): number;
  /**
   * Removes all messages from index `messageCount` on, for an edited message or another answer. Compactions that were
   * made with a removed message are dropped; the next `fit` compacts again if necessary. A `fit` that is running uses
   * the messages that are left.
   *
   * @throws {LonghaulError} `invalid_request` if the session does not have that many messages.
   */
  truncate(messageCount: number): void;
  /** Number of appended messages. */
  readonly messageCount: number;
  /**
   * Returns the messages to send: the whole session if it fits, else with a summary in place of its older part. Several
   * calls at once share one compaction.
   *
   * @throws {LonghaulError} `context_exhausted` if what must be sent is too large: the system text, the tools, the task,
   * the first and the newest system message, and the last step. Its text and its `data` name their sizes in tokens.
   * `cancelled` if the signal is aborted; nothing is compacted then. `invalid_request` if the format rewrites a message
   * wrongly, or `countMedia` returns no number.
   */
  fit(options?: FitOptions): Promise<FittedMessages<M>>;
  /**
   * Records the input tokens of the request from the last `fit`, cached ones included. Undefined is ignored, and so is
   * a second number for the same request.
   */
  learn(inputTokens: number | undefined): void;
  /**
   * Records that the server refused the last request as too long, with the sizes that the refusal named. The next `fit`
   * makes room.
   */
  learnRefusal(named?: NamedSizes): void;
  /**
   * Answers a call of `RECALL_TOOL`: searches the whole session, or reads a part of it by its handle. Never throws,
   * whatever the model passed: an input that is not a `RecallInput` gives a text that explains the tool.
   */
  recall(input: unknown): string;
  /** The appended messages, in order: the very objects. */
  readonly messages: readonly M[];
  /** Returns the whole session. */
  toJSON(): ContextSessionState<M>;
  /**
   * Returns the session without its messages, for a program that stores them itself. Pass them as `messages` together
   * with this state to continue the session.
   */
  marksOnly(): ContextSessionState<M>;
}

/** Sizes in tokens that a refusal can name. */
export interface NamedSizes {
  windowTokens?: number | undefined;
  requestTokens?: number | undefined;
}
