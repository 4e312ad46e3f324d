import type { SummaryReply } from '@longhaul/context/engine';
import type { ChatMessage, ChatTool, Summary } from '@longhaul/protocol';
import type { AgentContextManager } from '../agent-context-manager.ts';

/** Whether requests are compacted. `required`: requests to a model whose window is unknown are refused. */
export type CompactionManner = boolean | 'required';

/** As configured. `required-off`: as false, and `required` when it is switched on. */
export type CompactionSetting = CompactionManner | 'required-off';

/** The parts of a client's request that the context uses. Never modified. */
export interface ConversationRequest {
  /** The model's name at the upstream. */
  model: string;
  /** The window with which the server has loaded the model: prompt and answer together. */
  windowTokens: number;
  /** As received; unknown fields are kept. */
  messages: readonly ChatMessage[];
  tools?: readonly ChatTool[];
  /** `max_completion_tokens` or `max_tokens`: the room that the client wants for the answer. */
  maxTokens?: number;
  /**
   * The header `X-OpenWebUI-Chat-Id`, else `user`. Only compactions with the same `chatId` and `client` are used for
   * a request.
   */
  chatId?: string;
  /** Identifies the client, for example a hash of its key. Used as `chatId` is. */
  client?: string;
  strictRoles?: StrictRoles;
}

/** A rule of a model's chat template: roles alternate; or, in addition, no message has the role `system`. */
export type StrictRoles = 'alternate' | 'no-system';

export interface Prepared {
  /** The messages to send. The received array itself if nothing was rewritten. */
  readonly messages: readonly ChatMessage[];
  readonly isRewritten: boolean;
  /** Estimated tokens of the request to send, tools included. */
  readonly estimatedTokens: number;
  /** Estimated tokens of the received request. */
  readonly originalTokens: number;
  /** Tokens of the request to send, by the model's vocabulary alone, without corrections learned from real usage. */
  readonly countedTokens: number;
  /** Present if old messages were replaced by a summary, or something was cut. */
  readonly compacted?: CompactedFacts;
  /** How often the answer's stream was stopped and continued. */
  readonly restarts: number;
  /** For the log: a rejected summary, a compacting model that did not answer. */
  readonly warnings: readonly string[];
  /** Tracks how full the window is; `watchStream` keeps it up to date. */
  readonly manager: AgentContextManager;
  readonly request: ConversationRequest;
  /** For each received message after the leading system text, a hash of the conversation up to and including it. */
  readonly chain: readonly string[];
}

export interface CompactedFacts {
  /** Tokens of the request before and after. */
  before: number;
  after: number;
  /** The number of compactions of the conversation so far, including this one. One request may make several. */
  round: number;
  /**
   * The compaction was made for an earlier request with the same beginning: nothing was computed and no model queried.
   */
  isFromCache: boolean;
  /** The number of received messages that are sent unchanged. */
  kept: number;
  /** The number of received messages that the summary replaces. */
  hidden: number;
  /** Whether the summary has a part that a model wrote, now or in an earlier round. */
  isByModel: boolean;
  summary: Summary;
}

/** A notice for a waiting person. Compactions found in the cache emit none. */
export type ContextNotice =
  | { kind: 'compacting'; estimatedTokens: number; windowTokens: number }
  | {
      kind: 'compacted';
      before: number;
      after: number;
      round: number;
      /** The number of received messages that are sent unchanged. */
      kept: number;
      /** Whether the summary has a part that a model wrote, now or in an earlier round. */
      isByModel: boolean;
    };

export interface PrepareOptions {
  signal?: AbortSignal;
  onNotice?: (notice: ContextNotice) => void;
  /**
   * Returns the server's own count of a request (llama.cpp); undefined if there is none. Called only from half of the
   * threshold on and before any real usage is known. Must not throw.
   */
  measure?: (messages: readonly ChatMessage[], signal?: AbortSignal) => Promise<number | undefined>;
  /**
   * Returns the window that the server has loaded now. Called only before a new compaction, which would be useless if
   * the model has since been loaded with a larger window. Must not throw.
   */
  windowNow?: () => Promise<number | undefined>;
  /**
   * Set if the upstream has refused this request as too long or has cut it silently, with the numbers that it named.
   * Compacts regardless of the estimate. The smaller of `windowTokens` and `request.windowTokens` is used.
   */
  refused?: { windowTokens?: number; requestTokens?: number };
}

/**
 * The received part of an answer whose stream was stopped, without an unfinished tool call, which is dropped and never
 * run.
 */
export interface AnswerSoFar {
  text: string;
  reasoning?: string;
}

/** Real usage of a request, as the upstream reports it. */
export interface ObservedUsage {
  promptTokens: number;
  completionTokens?: number;
}

export type Observation =
  | { verdict: 'as-expected' }
  /**
   * The server read far fewer tokens than were sent, so it has dropped messages without an error. `windowTokens` is a
   * guess of its window.
   */
  | { verdict: 'silently-cut'; windowTokens: number };

/** Watches one stream while it arrives. */
export interface StreamWatch {
  /**
   * Adds a piece of text, reasoning or call arguments. `stop`: stop and call `continueFrom`. `over`: the window is
   * full, end the answer.
   */
  add(text: string): 'go-on' | 'stop' | 'over';
  /** Sets the real usage, which some servers report in the middle of a stream. */
  update(usage: ObservedUsage): 'go-on' | 'stop' | 'over';
  /** Tokens of this stream: the last reported usage, plus an estimate for later text. */
  readonly outputTokens: number;
}

/** One request to the compacting model. */
export interface CompactionAsk {
  /** The request's own model (`__same__`) or the configured one. */
  model: string;
  messages: ChatMessage[];
  /** Sent if the request continues the conversation's own prefix. Tool calls in the answer are not run. */
  tools?: readonly ChatTool[];
  maxTokens: number;
  /** Estimated tokens of the messages. */
  promptTokens: number;
  /** The JSON schema of the answer, for servers that enforce one. Absent for an answer in prose. */
  schema?: object;
  signal: AbortSignal;
}

/**
 * Queries the compacting model. An error fails the summary, but not the client's request, unless the client has aborted
 * `signal`.
 */
export type AskCompactionModel = (ask: CompactionAsk) => Promise<SummaryReply>;

export interface ConversationContext {
  /**
   * Phases 1 and 2: returns the messages to send. Under the threshold that is the received array, unless a stored
   * compaction is used.
   *
   * @throws {LonghaulError} `context_exhausted` if it cannot be made to fit; `cancelled` by the signal;
   * `invalid_request` for messages that cannot be compacted (a role that does not exist) and do not fit as they are.
   */
  prepare(request: ConversationRequest, options?: PrepareOptions): Promise<Prepared>;
  /**
   * Phase 3: returns the request that continues an answer whose stream was stopped. The answer so far is at its end.
   *
   * @throws {LonghaulError} `context_exhausted` after `maxRestarts` restarts (default 3) or if there is no room to
   * continue; `cancelled`.
   */
  continueFrom(prepared: Prepared, soFar: AnswerSoFar, options?: PrepareOptions): Promise<Prepared>;
  /** Compares the sent tokens with the usage that the upstream reports, and learns from it. */
  observe(prepared: Prepared, usage: ObservedUsage): Observation;
  /** Starts to watch the stream that answers a request. */
  watchStream(prepared: Prepared): StreamWatch;
}
