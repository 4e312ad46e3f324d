import { estimateTokens } from '@longhaul/context';
import type { ChatMessage } from '@longhaul/protocol';
import { answerRoom } from './compaction/output-room.ts';

export interface AgentContextManagerOptions {
  /** Off: everything is counted, and nothing is ever too much. Default true. */
  enabled?: boolean;
  /** The window in tokens: prompt and answer together. */
  contextLimit: number;
  /** Share of the window at which a running answer is stopped, so that there is room to go on. Default 0.9. */
  warningThreshold?: number;
  /** Share of the window that a request may reach with room for its answer. Default 0.8. */
  inputThreshold?: number;
  /** Of each request beside its messages: the schemas of its tools. Default 0. */
  fixedTokens?: number;
  /** Tokens of messages. Default: a quarter of their characters. */
  count?: (messages: readonly ChatMessage[]) => number;
}

export interface InputEstimate {
  inputTokens: number;
  /** Kept free for the answer: 20 % of what the input leaves of the window, at least 1,000. */
  outputRoomTokens: number;
  totalTokens: number;
  /** At exactly the threshold, too. */
  isOverThreshold: boolean;
}

export interface ToolResponseCheck {
  /** The results can be sent behind what is in use, and the answer still has its room. */
  fits: boolean;
  resultTokens: number;
  projectedTokens: number;
  /** Whatever else is left out, these results are more than the window: they must be cut. */
  isLargerThanWindow: boolean;
}

/**
 * How full one request's window is, at the three moments where that is asked: before it, when tool results come in, and while the answer
 * streams. It decides nothing else and holds no messages but the results that a restart must keep.
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

  constructor(options: AgentContextManagerOptions) {
    this.#enabled = options.enabled ?? true;
    this.#limit = options.contextLimit;
    this.#warningThreshold = options.warningThreshold ?? 0.9;
    this.#inputThreshold = options.inputThreshold ?? 0.8;
    this.#fixedTokens = options.fixedTokens ?? 0;
    this.#count = options.count ?? ((messages) => estimateTokens(JSON.stringify(messages)));
  }

  /** Sets what is in use; what is left out stays as it was. */
  updateUsage({ inputTokens, outputTokens }: { inputTokens?: number; outputTokens?: number }): void {
    this.#inputTokens = inputTokens ?? this.#inputTokens;
    this.#outputTokens = outputTokens ?? this.#outputTokens;
  }

  /** Input and output have reached the warning threshold (90 %): a stream that goes on is to be stopped. */
  isApproachingLimit(): boolean {
    return this.#enabled && this.#used >= this.#limit * this.#warningThreshold;
  }

  /** Before a request: its tokens with the answer's room, against the input threshold (80 %). */
  estimateInputTokens(messages: readonly ChatMessage[]): InputEstimate {
    return this.#estimate(this.#fixedTokens + this.#count(messages));
  }

  /** Whether tool results still fit behind what is in use. */
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

  /** Says that the request must be made anew with less history, and which tool results it must keep. */
  markRestartNeeded(toolResult?: readonly ChatMessage[]): void {
    this.#needsRestart = true;
    this.#lastToolResult = toolResult ?? this.#lastToolResult;
  }

  needsRestart(): boolean {
    return this.#needsRestart;
  }

  /** What the last `markRestartNeeded` named. */
  getLastToolResult(): readonly ChatMessage[] | undefined {
    return this.#lastToolResult;
  }

  /** The request was made anew. */
  resetRestartFlag(): void {
    this.#needsRestart = false;
    this.#lastToolResult = undefined;
  }

  /** Of the window, input and output together; over 100 where it was exceeded. */
  getUsagePercentage(): number {
    return (this.#used / this.#limit) * 100;
  }

  /** The window is full: nothing can be added. */
  isOverLimit(): boolean {
    return this.#enabled && this.#used >= this.#limit;
  }

  /** As new. */
  reset(): void {
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
