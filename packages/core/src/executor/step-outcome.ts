import type { FinishReason, LonghaulError, Message, TokenUsage } from '@longhaul/protocol';

/** What a model call came to. */
export interface StepOutcome {
  /** Absent when the call failed before it brought anything. */
  message?: Message;
  finishReason: FinishReason;
  usage?: TokenUsage;
  cost?: number;
  text: string;
  /** Calls waiting to be run. Empty after an error: nothing of a broken answer is run. */
  hasToolCalls: boolean;
  /** Set on any failure, whatever the finish reason said. */
  error?: LonghaulError;
}
