import { estimateTokens } from '@longhaul/context/engine';
import type { ChatMessage } from '@longhaul/protocol';
import { answerRoom } from './compaction/output-room.ts';

export interface AgentContextManagerOptions {
  /** Default true. False: everything is counted, and no limit is ever reported as reached. */
  enabled?: boolean;
  /** The window in tokens: prompt and answer together. */
  contextLimit: number;
  /** Share of the window at which a running answer is stopped, so that there is room to continue. Default 0.9. */
  warningThreshold?: number;
  /** Share of the window at which a request, with room for its answer, is too large. Default 0.8. */
  inputThreshold?: number;
  /** Tokens of each request outside its messages, such as the schemas of its tools. Default 0. */
  fixedTokens?: number;
  /** Counts the tokens of messages. Default: a quarter of their characters as JSON. */
  count?: (messages: readonly ChatMessage[]) => number;
}

export interface InputEstimate {
  inputTokens: number;
  /** Reserved for the answer: 20 % of the window that the input leaves free, at least 1,000. */
  outputRoomTokens: number;
  totalTokens: number;
  /** True at exactly the threshold, too. */
  isOverThreshold: boolean;
}

/** How full the window is. */
export interface UsageStats {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  contextLimit: number;
  /** Tokens that are left; 0 if the window is exceeded. */
  remainingTokens: number;
  /** Over 100 if the window is exceeded. */
  usagePercentage: number;
}

export interface ToolResponseCheck {
  /** Whether the results can be added to the tokens in use and leave the answer its room. */
  fits: boolean;
  resultTokens: number;
  projectedTokens: number;
  /** The results alone fill the window, so they must be cut whatever else is removed. */
  isLargerThanWindow: boolean;
}

/**
 * Tracks how full the window of one request is: before the request, when tool results arrive, and while the answer
 * streams. It holds no messages except those of `updateConversationHistory`, and the tool results that a restart must
 * keep.
 *
 * @example
 * const manager = new AgentContextManager({ contextLimit: 8_192 });
 * if (manager.estimateInputTokens(messages).isOverThreshold) await compact();
 * manager.updateUsage({ inputTokens: 5_000, outputTokens: 2_400 });
 * manager.isApproachingLimit(); // true: 7,400 of 8,192 is more than 90 %
 */
export class AgentContextManager {
  readonly #enabled: boolean;
  readonly #limit: number;
  readonly #warningThreshold: number;
  readonly #inputThreshold: number;
  readonly #fixedTokens: number;
  readonly #count: (messages: readonly ChatMessage[]) => number;
  #inputTokens = 0;
  #outputTokens = 0;
  #needsRestart = false;
  #lastToolResult: readonly ChatMessage[] | undefined;
  #history: readonly ChatMessage[] = [];

  constructor(options: AgentContextManagerOptions) {
    this.#enabled = options.enabled ?? true;
    this.#limit = options.contextLimit;
    this.#warningThreshold = options.warningThreshold ?? 0.9;
    this.#inputThreshold = options.inputThreshold ?? 0.8;
    this.#fixedTokens = options.fixedTokens ?? 0;
    this.#count = options.count ?? ((messages) => estimateTokens(JSON.stringify(messages)));
  }

  /** Sets the tokens in use. An omitted value stays unchanged. */
  updateUsage({ inputTokens, outputTokens }: { inputTokens?: number; outputTokens?: number }): void {
    this.#inputTokens = inputTokens ?? this.#inputTokens;
    this.#outputTokens = outputTokens ?? this.#outputTokens;
  }

  /** Stores the conversation, for example after a compaction, and sets the input tokens to those of a request with it. */
  updateConversationHistory(messages: readonly ChatMessage[]): void {
    this.#history = [...messages];
    this.#inputTokens = this.#fixedTokens + this.#count(messages);
  }

  /** Returns the stored conversation; empty if none was stored. */
  getConversationHistory(): readonly ChatMessage[] {
    return this.#history;
  }

  getUsageStats(): UsageStats {
    return {
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      totalTokens: this.#used,
      contextLimit: this.#limit,
      remainingTokens: Math.max(0, this.#limit - this.#used),
      usagePercentage: this.getUsagePercentage(),
    };
  }

  /**
   * Whether input and output together have reached the warning threshold (default 90 %), so that a running stream must
   * be stopped.
   */
  isApproachingLimit(): boolean {
    return this.#enabled && this.#used >= this.#limit * this.#warningThreshold;
  }

  /** Compares a request's tokens, with the answer's room, to the input threshold (default 80 %). */
  estimateInputTokens(messages: readonly ChatMessage[]): InputEstimate {
    return this.#estimate(this.#fixedTokens + this.#count(messages));
  }

  /** Checks whether tool results still fit after the tokens in use. */
  checkBeforeToolResponse(results: readonly ChatMessage[]): ToolResponseCheck {
    const resultTokens = this.#count(results);
    const projectedTokens = this.#used + resultTokens;
    return {
      fits: !this.#estimate(projectedTokens).isOverThreshold,
      resultTokens,
      projectedTokens,
      isLargerThanWindow: this.#enabled && resultTokens >= this.#limit,
    };
  }

  /** Records that the request must be built again with less history, and which tool results it must keep. */
  markRestartNeeded(toolResult?: readonly ChatMessage[]): void {
    this.#needsRestart = true;
    this.#lastToolResult = toolResult ?? this.#lastToolResult;
  }

  needsRestart(): boolean {
    return this.#needsRestart;
  }

  /** Returns the tool results that the last `markRestartNeeded` with results named. */
  getLastToolResult(): readonly ChatMessage[] | undefined {
    return this.#lastToolResult;
  }

  /** Clears the restart flag and the tool results, once the request has been built again. */
  resetRestartFlag(): void {
    this.#needsRestart = false;
    this.#lastToolResult = undefined;
  }

  /** Returns input and output together in percent of the window; over 100 if the window is exceeded. */
  getUsagePercentage(): number {
    return (this.#used / this.#limit) * 100;
  }

  /** Whether the window is full. */
  isOverLimit(): boolean {
    return this.#enabled && this.#used >= this.#limit;
  }

  /** Sets the usage to 0, and drops the conversation and the restart flag. */
  reset(): void {
    this.#history = [];
    this.#inputTokens = 0;
    this.#outputTokens = 0;
    this.resetRestartFlag();
  }

  get #used(): number {
    return this.#inputTokens + this.#outputTokens;
  }

  #estimate(inputTokens: number): InputEstimate {
    const outputRoomTokens = answerRoom(inputTokens, this.#limit);
    const totalTokens = inputTokens + outputRoomTokens;
    const isOverThreshold = this.#enabled && totalTokens >= this.#limit * this.#inputThreshold;
    return { inputTokens, outputRoomTokens, totalTokens, isOverThreshold };
  }
}
