import type { AskingChild } from './approval.ts';
import type { BudgetFacts } from './budget.ts';
import type { ErrorShape } from './errors.ts';
import type { FileChange } from './file-change.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { CompactionReason } from './mark.ts';
import type { FinishReason, MessageOrigin, ToolOutputContent } from './message.ts';
import type { SubtaskFacts } from './subtask.ts';
import type { TrustWant } from './trust-want.ts';
import type { TokenUsage } from './usage.ts';

export type RunStatus = 'completed' | 'cancelled' | 'failed' | 'limit' | 'interrupted';
export type ActivityStatus = 'idle' | 'busy' | 'retrying' | 'compacting';

/** Fields of every event, in addition to its payload. */
export interface EventEnvelope {
  sessionId: string;
  /** Milliseconds since 1970. */
  at: number;
  /**
   * The event's number in its session: 1, 2, 3… Absent on events that are not durable (chunks, tool progress,
   * changes of the queue, and positions of waiting sessions).
   */
  number?: number;
}

/**
 * The union of all events, which is the API of a run. All are stored, except `run:waiting`, `llm:chunk`,
 * `llm:tool-progress`, `subtask:progress` and `queue:changed`.
 */
export type EventPayload =
  | { type: 'run:started'; runId: string; task: string; model: string }
  | {
      type: 'run:finished';
      runId: string;
      status: RunStatus;
      stepCount: number;
      usage: TokenUsage;
      cost?: number;
      finishReason?: FinishReason;
      /** The final answer, or the text so far. */
      text: string;
      /** Present when the status is not `completed`. */
      error?: ErrorShape;
      compactions: number;
      /**
       * How often the model was asked to continue because its answer left open todo items, or announced a step: 0 or 1.
       * Absent in events of earlier versions.
       */
      continuationAsks?: number;
    }
  | {
      /** The session has work, and waits for other runs of the server to end. */
      type: 'run:waiting';
      /** 1 begins next. Absent: the session waits no longer, and no run starts. */
      position?: number;
    }
  | {
      /** A run found that an earlier run had not finished, and closed its open parts and messages. */
      type: 'run:repaired';
      /** Runs whose process died. */
      runIds: string[];
      /** Calls that had started. They may have taken effect or not. */
      unknownCalls: number;
      /** Calls that had not started. */
      unstartedCalls: number;
      /** Whether a text of the model is incomplete. */
      partialText: boolean;
      /** Commands of earlier runs that were still running, and were killed. Absent in events of older versions. */
      killedCommands?: number;
      /** A description of the repair for people. */
      message: string;
    }
  | { type: 'session:status'; status: ActivityStatus }
  | { type: 'llm:thinking' }
  | {
      type: 'llm:chunk';
      chunkType: 'text' | 'reasoning';
      content: string;
      isComplete?: boolean;
      /** The part of the chunk, and the chunk's offset in the part's text in UTF-16 units. */
      messageId: string;
      partIndex: number;
      offset: number;
    }
  | { type: 'llm:tool-call'; toolName: string; args: JsonValue; callId: string }
  | { type: 'llm:tool-progress'; callId: string; title?: string; metadata?: JsonObject }
  | {
      type: 'llm:tool-result';
      toolName: string;
      callId: string;
      success: boolean;
      /** What the model sees. */
      sanitized: ToolOutputContent[];
      /**
       * What the tool returned. Present only if the setting `tools.rawResults`, or `rawToolResults` of the runtime, is
       * true.
       */
      rawResult?: ToolOutputContent[];
      title?: string;
      /** Facts for programs, as in the part's metadata. Absent in events of an older version. */
      metadata?: JsonObject;
      /** How long the tool ran. Absent if it did not run. */
      durationMs?: number;
      truncated?: boolean;
      handle?: string;
    }
  | {
      type: 'llm:response';
      /** The message of the answer. Absent in events of an older version. */
      messageId?: string;
      content: string;
      reasoning?: string;
      provider: string;
      model: string;
      /** The client that made the call, such as `ai-sdk` or `native`. */
      router?: string;
      tokenUsage?: TokenUsage;
      cost?: number;
      finishReason: FinishReason;
    }
  | {
      type: 'llm:error';
      error: ErrorShape;
      context?: string;
      recoverable: boolean;
      /** The text so far of an answer that broke off. No `llm:response` follows it. */
      content?: string;
      reasoning?: string;
    }
  | {
      type: 'llm:retry';
      /** The number of the failed attempt, from 1. */
      attempt: number;
      delayMs: number;
      reason: string;
      /** Time of the next attempt in milliseconds since 1970. Absent in events of an older version. */
      nextTryAt?: number;
    }
  | {
      type: 'llm:switched';
      /** The model of the run that starts, if it is not that of the session's last answer: its name and its limits. */
      newConfig: JsonObject;
      /** Whether the model gets the conversation so far, fitted to its window. */
      historyRetained: boolean;
    }
  | {
      type: 'llm:unsupported-input';
      errors: string[];
      provider: string;
      model?: string;
      fileType?: string;
      details?: JsonObject;
    }
  | {
      type: 'context:compressed';
      originalTokens: number;
      compressedTokens: number;
      /** The same as `originalTokens` and `compressedTokens`. Absent in events of an older version. */
      beforeTokens?: number;
      afterTokens?: number;
      originalMessages: number;
      compressedMessages: number;
      strategy: string;
      reason: CompactionReason;
      round: number;
    }
  | { type: 'context:pruned'; prunedCount: number; savedTokens: number }
  | { type: 'context:undone'; round: number }
  | {
      /** How full the window is: the predicted tokens of the request about to be sent. */
      type: 'context:usage';
      tokens: number;
      usableTokens: number;
      windowTokens: number;
      /** With these, the context report can be computed between runs. Absent in events of an older version. */
      systemTokens?: number;
      toolTokens?: number;
      maxOutputTokens?: number;
      /** Real tokens per counted token of text, as learned so far. */
      ratio?: number;
      /** Real tokens per counted token of images and files. */
      mediaRatio?: number;
      /** Reasoning without a signature is part of requests. */
      returnsReasoning?: boolean;
      /** Tokens of an answer that are reserved for reasoning. */
      reasoningTokens?: number;
    }
  | { type: 'context:warning'; message: string }
  /** At least 80 % of a budget is spent. Once a run for each budget. */
  | ({ type: 'budget:warning'; message: string } & BudgetFacts)
  /** A budget has nothing left, so a model call was not made. The run ends with the error `budget_exceeded`. */
  | ({ type: 'budget:exceeded'; message: string } & BudgetFacts)
  | {
      /** Files of the workspace changed. */
      type: 'files:changed';
      /** `@tree:` references. `before` is absent for the first record of a session. */
      before?: string;
      after: string;
      /** At most 50. */
      files: FileChange[];
      /** The number of further changed files. */
      more?: number;
      byAgent: boolean;
    }
  | {
      /** The conversation, the files, or both went back to before a message. */
      type: 'session:reverted';
      /** Handle of that message. */
      handle: string;
      /** How many files were restored. */
      files: number;
      /** Whether the conversation went back. */
      conversation: boolean;
    }
  | { type: 'session:unreverted' }
  | {
      /** The session has another title. A model wrote it, or it is the first line of the task. */
      type: 'session:titled';
      title: string;
    }
  | {
      /** A command runs in the background. */
      type: 'process:started';
      /** Names the command in the session: the handle of the call that started it. */
      handle: string;
      command: string;
      /** The command outlives the run. */
      isKept?: boolean;
    }
  | {
      /** A command in the background has ended by itself, or was ended. The end of a run ends the others without this event. */
      type: 'process:ended';
      handle: string;
      command: string;
      /** Absent if a signal ended it, or if it is unknown. */
      exitCode?: number;
    }
  | {
      /** A call of `task` has started a child session. */
      type: 'subtask:started';
      childId: string;
      /** The call, and its handle. */
      callId: string;
      handle: string;
      agent: string;
      title: string;
      isBackground?: boolean;
    }
  | {
      /** A child session works. */
      type: 'subtask:progress';
      callId: string;
      handle: string;
      facts: SubtaskFacts;
    }
  | {
      /** A child session has ended, and its result is stored next. */
      type: 'subtask:finished';
      callId: string;
      handle: string;
      facts: SubtaskFacts;
    }
  /** `origin`: no user wrote the message. */
  | { type: 'message:queued'; id: string; position: number; origin?: MessageOrigin }
  /** Waiting messages were edited, moved or removed in this process. */
  | { type: 'queue:changed'; count: number }
  /** `origins`: of those of the messages that no user wrote. */
  | {
      type: 'message:dequeued';
      count: number;
      ids: string[];
      coalesced: boolean;
      origins?: MessageOrigin[];
    }
  | {
      type: 'approval:requested';
      callId: string;
      handle: string;
      toolName: string;
      args: JsonValue;
      /** Absent: the session itself asks. */
      child?: AskingChild;
    }
  | {
      type: 'approval:answered';
      callId: string;
      handle: string;
      allowed: boolean;
      reason?: string;
      /** Absent: the session itself asked. */
      child?: AskingChild;
    }
  | {
      /** A run started without these settings of the project's file, because they are not trusted. */
      type: 'trust:requested';
      /** The folder that trust is bound to. */
      workspace: string;
      wants: TrustWant[];
    }
  | {
      /** Somebody answered whether the project is trusted. */
      type: 'trust:answered';
      workspace: string;
      /** What the project's file wants after the answer. */
      wants: TrustWant[];
      answer: 'trusted' | 'ignored';
    };

export type EventType = EventPayload['type'];
export type LonghaulEvent = EventPayload & EventEnvelope;
export type EventOf<T extends EventType> = Extract<LonghaulEvent, { type: T }>;

const TRANSIENT: ReadonlySet<EventType> = new Set([
  'run:waiting',
  'llm:chunk',
  'llm:tool-progress',
  'subtask:progress',
  'queue:changed',
]);

/** Whether an event is stored and numbered. */
export function isDurable(payload: { type: EventType }): boolean {
  return !TRANSIENT.has(payload.type);
}
