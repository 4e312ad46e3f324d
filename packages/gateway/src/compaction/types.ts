import type { SummaryReply } from '@longhaul/context';
import type { ChatMessage, ChatTool } from '@longhaul/protocol';
import type { AgentContextManager } from '../agent-context-manager.ts';

/** What a client asks for, as far as the context is concerned. Nothing of it is ever changed in place. */
export interface ConversationRequest {
  /** As the upstream knows it. */
  model: string;
  /** The window that the server has loaded: prompt and answer together. */
  windowTokens: number;
  /** As received; unknown fields are kept. */
  messages: readonly ChatMessage[];
  tools?: readonly ChatTool[];
  /** `max_completion_tokens` or `max_tokens`: room that the client wants for the answer. */
  maxTokens?: number;
  /** `X-OpenWebUI-Chat-Id` or `user`: for whoever reads a log, and so that nobody else is told of a beginning that the client has dropped. */
  chatId?: string;
  /** Whoever asks, such as a hash of their key: as `chatId`. */
  client?: string;
  strictRoles?: StrictRoles;
}

/** What a model's chat template demands: that roles alternate; and, further, that no message has the role `system`. */
export type StrictRoles = 'alternate' | 'no-system';

export interface Prepared {
  /** What to send. The very array that was received when nothing had to be rewritten. */
  readonly messages: readonly ChatMessage[];
  readonly isRewritten: boolean;
  /** Tokens of what is sent, tools included, and of what was received. */
  readonly estimatedTokens: number;
  readonly originalTokens: number;
  /** Of what is sent, by the model's vocabulary alone, without what its real usage has taught. */
  readonly countedTokens: number;
  /** Present when old messages stand behind a summary, or something was cut. */
  readonly compacted?: CompactedFacts;
  /** How often the answer's stream was stopped and gone on with. */
  readonly restarts: number;
  /** Things for the log: a rejected summary, a model that did not answer. */
  readonly warnings: readonly string[];
  /** Knows how full the window is; `watchStream` keeps it up to date. */
  readonly manager: AgentContextManager;
  readonly request: ConversationRequest;
}

export interface CompactedFacts {
  /** Tokens of the request before and after. */
  before: number;
  after: number;
  /** How many compactions the conversation has behind it, this one included; one request may make several. */
  round: number;
  /** Made for an earlier request with the same beginning: nothing was computed and no model asked. */
  isFromCache: boolean;
}

/** What a person may be told while they wait. Compactions found in the cache are not told. */
export type ContextNotice =
  | { kind: 'compacting'; estimatedTokens: number; windowTokens: number }
  | { kind: 'compacted'; before: number; after: number; round: number };

export interface PrepareOptions {
  signal?: AbortSignal;
  onNotice?: (notice: ContextNotice) => void;
  /**
   * The server's own count of a request, where it has one (llama.cpp). Asked only near the threshold, before any real usage is known. Does not
   * throw.
   */
  measure?: (messages: readonly ChatMessage[], signal?: AbortSignal) => Promise<number | undefined>;
  /**
   * The window as the server has it loaded now. Asked before a compaction is made anew, which would be for nothing if the model was loaded with a
   * larger one; a request that passes, or finds what was kept, does not wait for it. Does not throw.
   */
  windowNow?: () => Promise<number | undefined>;
  /**
   * The upstream has refused this request as too long, or cut it without a word. Compacts whatever the estimate says. With what it named;
   * `request.windowTokens` is what is known now.
   */
  refused?: { windowTokens?: number; requestTokens?: number };
}

/** What was received of an answer whose stream was stopped. An unfinished tool call is not part of it: it is dropped, unrun. */
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
  /** Far fewer tokens were read than sent: the server has dropped messages without a word. `windowTokens` is what it seems to have. */
  | { verdict: 'silently-cut'; windowTokens: number };

/** Looks at one stream while it comes. */
export interface StreamWatch {
  /** Takes the next piece of text, reasoning or call arguments. `stop`: go on with `continueFrom`. `over`: the window is full, end. */
  add(text: string): 'go-on' | 'stop' | 'over';
  /** Real usage in the middle of a stream, as some servers report it. */
  update(usage: ObservedUsage): 'go-on' | 'stop' | 'over';
  /** Of this stream, by estimate. */
  readonly outputTokens: number;
}

/** One request to the model that compacts. */
export interface CompactionAsk {
  /** `__same__` resolved: the request's own model, or the one configured. */
  model: string;
  messages: ChatMessage[];
  /** Sent along when the request continues the conversation's own prefix. No call in the answer is run. */
  tools?: readonly ChatTool[];
  maxTokens: number;
  signal: AbortSignal;
}

/** Sends it. What it throws is a failure of the summary, never of the request, unless `signal` was aborted by the client. */
export type AskCompactionModel = (ask: CompactionAsk) => Promise<SummaryReply>;

export interface ConversationContext {
  /**
   * Phases 1 and 2: gives back what to send. Under the threshold that is the request's own array.
   *
   * @throws {LonghaulError} `context_exhausted` if it cannot be made to fit; `cancelled` by the signal; `invalid_request` for messages that
   * cannot be compacted (a role that does not exist) and do not fit as they are.
   */
  prepare(request: ConversationRequest, options?: PrepareOptions): Promise<Prepared>;
  /**
   * Phase 3: the request that goes on with an answer whose stream was stopped. What was said so far stands at its end.
   *
   * @throws {LonghaulError} `context_exhausted` after three restarts, or if there is no room left to go on; `cancelled`.
   */
  continueFrom(prepared: Prepared, soFar: AnswerSoFar, options?: PrepareOptions): Promise<Prepared>;
  /** Compares what was sent with what the upstream says it read. */
  observe(prepared: Prepared, usage: ObservedUsage): Observation;
  watchStream(prepared: Prepared): StreamWatch;
}
