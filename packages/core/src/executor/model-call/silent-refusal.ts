import type { FittedRequest } from '@longhaul/context';
import { LonghaulError } from '@longhaul/protocol';
import type { StepOutcome } from './step-outcome.ts';

/** Share of the window from which a request may have been too long for a server that gives no numbers. */
const LONG_SHARE = 0.5;

/**
 * Some servers (z.ai, MiMo) accept a prompt that is too long, and answer with nothing, cut off by its length. That is a refusal. A model that
 * used up its answer by thinking has written something.
 */
export function refusedInSilence(
  outcome: StepOutcome,
  { predictedTokens }: FittedRequest,
  windowTokens: number,
): StepOutcome {
  const { finishReason, error, message, usage } = outcome;
  const hasSaid = message?.parts.some((part) => part.type !== 'text' || part.text.trim() !== '') === true;
  if (error !== undefined || finishReason !== 'length' || hasSaid) return outcome;
  const isRefusal =
    usage === undefined
      ? predictedTokens >= windowTokens * LONG_SHARE
      : usage.outputTokens === 0 || usage.inputTokens >= windowTokens;
  if (!isRefusal) return outcome;
  const text = `The server read a prompt of ${usage?.inputTokens ?? `about ${predictedTokens}`} tokens and answered with nothing, cut off by its length: the prompt is too long for it.`;
  return {
    ...outcome,
    error: new LonghaulError('context_overflow', text, {
      data: usage === undefined ? {} : { requestTokens: usage.inputTokens },
    }),
  };
}
