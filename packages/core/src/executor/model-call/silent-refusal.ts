import type { FittedRequest } from '@longhaul/context/engine';
import { isBlank, LonghaulError } from '@longhaul/protocol';
import type { StepOutcome } from './step-outcome.ts';

/** Without usage numbers, an empty answer to a request of at least this share of the window is treated as a refusal. */
const LONG_SHARE = 0.5;

/**
 * Detects a refusal without an error: some servers (z.ai, MiMo) accept a prompt that is too long, and return an empty
 * answer with the finish reason `length`. Returns the outcome with `context_overflow` in that case, and unchanged
 * otherwise. An answer with reasoning alone is not empty.
 */
export function detectSilentRefusal(
  outcome: StepOutcome,
  { predictedTokens }: FittedRequest,
  windowTokens: number,
): StepOutcome {
  const { finishReason, error, message, usage } = outcome;
  const hasContent = message?.parts.some((part) => part.type !== 'text' || !isBlank(part.text)) === true;
  if (error !== undefined || finishReason !== 'length' || hasContent) return outcome;
  const isRefusal =
    usage === undefined
      ? predictedTokens >= windowTokens * LONG_SHARE
      : usage.outputTokens === 0 || usage.inputTokens >= windowTokens;
  if (!isRefusal) return outcome;
  const text = `The server read a prompt of ${usage?.inputTokens ?? `about ${predictedTokens}`} tokens and returned an empty answer with the finish reason "length": the prompt is too long for it.`;
  return {
    ...outcome,
    error: new LonghaulError('context_overflow', text, {
      data: usage === undefined ? {} : { requestTokens: usage.inputTokens },
    }),
  };
}
