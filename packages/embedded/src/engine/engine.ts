import type { JsonObject, JsonValue } from '@longhaul/protocol';

/** A message as Chat Completions has it. */
export interface ChatMessage {
  role: string;
  content?: JsonValue;
  tool_calls?: JsonValue;
  [key: string]: JsonValue | undefined;
}

export interface ChatTool {
  name: string;
  description: string;
  parameters: JsonObject;
}

/** The input of an answer. */
export interface Prompt {
  messages: readonly ChatMessage[];
  tools: readonly ChatTool[];
  /** Values for the chat template besides the usual ones, such as `enable_thinking`. */
  templateValues?: JsonObject | undefined;
}

export interface AnswerRequest extends Prompt {
  maxTokens?: number | undefined;
  temperature?: number | undefined;
  topK?: number | undefined;
  topP?: number | undefined;
  minP?: number | undefined;
  /** With the same seed and input, the answer is the same. */
  seed?: number | undefined;
  /** Texts before which the answer ends. */
  stop?: readonly string[] | undefined;
  signal: AbortSignal;
}

/** What an engine reports of an answer, in this order: reading, text, the end. */
export type AnswerEvent =
  | { type: 'reading'; readTokens: number; promptTokens: number }
  | { type: 'text'; text: string }
  | {
      type: 'end';
      reason: 'stop' | 'length';
      promptTokens: number;
      /** Those of the prompt whose state was kept. */
      cachedTokens: number;
      outputTokens: number;
      /** Milliseconds of reading and of writing. */
      readMs: number;
      writeMs: number;
    };

/** Runs a model. */
export interface Engine {
  readonly facts: EngineFacts;
  /**
   * Answers. Ends without an `end` event when `signal` aborts.
   *
   * @throws {PromptTooLong} The prompt does not fit into the window.
   */
  answer(request: AnswerRequest): AsyncIterable<AnswerEvent>;
  countTokens(prompt: Prompt): number;
  tokenize(text: string): number[];
  /** Stores the state of the sessions, for the next process. */
  save(): Promise<void>;
}

export interface EngineFacts {
  model: string;
  windowTokens: number;
  trainedTokens: number;
  /** Answers at the same time. Each has the whole window. */
  slots: number;
  /** What limits the window, for people. */
  windowSource: string;
  gpu: string | false;
  threads: number;
}

export class PromptTooLong extends Error {
  readonly promptTokens: number;
  readonly windowTokens: number;

  constructor(promptTokens: number, windowTokens: number) {
    super(
      `The request has ${promptTokens} tokens, which exceeds the available context size of ${windowTokens} tokens.`,
    );
    this.promptTokens = promptTokens;
    this.windowTokens = windowTokens;
  }
}
